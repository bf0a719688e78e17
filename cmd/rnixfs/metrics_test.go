package main_test

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/prometheus/client_golang/prometheus/testutil/promlint"
	dto "github.com/prometheus/client_model/go"
	"github.com/prometheus/common/expfmt"
)

// bounded are the labels that may be: each has a few values.
var bounded = []string{"device", "code", "le", "scope", "rule", "category", "verdict", "reason", "version", "goversion"}

// exposition is a text in Prometheus' format.
type exposition struct {
	families map[string]*dto.MetricFamily
	series   map[string]float64
	faults   []string
}

// readExposition has Prometheus' own parser and linter read a text. Neither minds a series that
// comes twice, nor any label.
func readExposition(text string) *exposition {
	x := &exposition{series: map[string]float64{}}
	var err error
	var parser expfmt.TextParser
	if x.families, err = parser.TextToMetricFamilies(strings.NewReader(text)); err != nil {
		x.faults = append(x.faults, err.Error())
	}
	problems, err := promlint.New(strings.NewReader(text)).Lint()
	if err != nil || len(problems) > 0 {
		x.faults = append(x.faults, fmt.Sprint(problems, err))
	}
	label := regexp.MustCompile(`([a-z_]+)="`)
	for line := range strings.Lines(text) {
		id, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if id == "#" {
			continue
		}
		n, err := strconv.ParseFloat(value, 64)
		if _, twice := x.series[id]; twice || err != nil || n < 0 {
			x.faults = append(x.faults, line+" comes twice, or has no value")
		}
		for _, m := range label.FindAllStringSubmatch(id, -1) {
			if !slices.Contains(bounded, m[1]) {
				x.faults = append(x.faults, line+" has a label "+m[1])
			}
		}
		x.series[id] = n
	}
	return x
}

// TestMetrics: the figures keep to the format and stand in the documents, counters never fall, also when the
// configuration and with it the scanner is loaded anew, and no text, name or path of a
// user's stands in them.
func TestMetrics(t *testing.T) {
	m := newMount(t, "")
	secret := secretToken()
	m.must(`mkdir -p ../zeppelin/.rnix && cd ../zeppelin && echo '{"action":"add","key":"airship","content":"The hangar is heated."}' > $MNT/commit
		echo '{"action":"add","content":"` + secret + `"}' > $MNT/commit 2>/dev/null || true
		echo '{"action":"remove","key":"no-such"}' > $MNT/commit 2>/dev/null || true
		echo '{"query":"hangar"}' > $MNT/recall
		printf '{"action":"turn","session":"1","role":"user","content":"We deploy on Fridays."}{"action":"end","session":"1","exit_code":0}' > $MNT/process`)
	before := m.figures()
	inOperations(t, before)
	for _, id := range []string{
		`rnixfs_requests_total{device="commit",code="ok"}`, `rnixfs_requests_total{device="commit",code="rejected"}`,
		`rnixfs_requests_total{device="commit",code="not_found"}`, `rnixfs_request_duration_seconds_count{device="recall"}`,
		`rnixfs_scope_limit_characters{scope="memory"}`, `rnixfs_scanner_rejected_total`, `rnixfs_kept_replies`, `rnixfs_start_time_seconds`,
	} {
		if before.series[id] == 0 {
			t.Errorf("%s is missing, or 0", id)
		}
	}
	text := m.must("cat $MNT/metrics; cd ../zeppelin; rnixfs metrics")
	for _, word := range []string{secret, "zeppelin", "airship", "hangar", m.dir} {
		if strings.Contains(text, word) {
			t.Errorf("%q stands in the figures", word)
		}
	}
	m.must(`mkdir -p $HOME/.config/rnix && echo 'scanner: {pii: warn}' > $HOME/.config/rnix/memory.yaml`)
	if err := syscall.Kill(m.pid(), syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	m.waitFor(`jq -c '.config.files | length' $MNT/status`, "1\n")
	after := m.figures()
	for id, n := range before.series {
		name, _, _ := strings.Cut(id, "{")
		if before.families[name].GetType() != dto.MetricType_GAUGE && after.series[id] < n { // of a histogram's series, too
			t.Errorf("%s fell from %v to %v", id, n, after.series[id])
		}
	}
}

// inOperations checks that docs/operations.md has a row for each figure, and that its table
// and the alerts name no other.
func inOperations(t *testing.T, x *exposition) {
	t.Helper()
	name := regexp.MustCompile(`rnixfs_[a-z_]*[a-z]`)
	for file, rows := range map[string]*regexp.Regexp{
		"../../docs/operations.md":                 regexp.MustCompile("(?m)^\\| `rnixfs_.*$"),
		"../../deploy/prometheus/rnixfs.rules.yml": regexp.MustCompile(`(?m)^.*rnixfs_.*$`),
	} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		named := map[string]bool{}
		for _, row := range rows.FindAllString(string(text), -1) {
			for _, n := range name.FindAllString(row, -1) {
				named[n] = true
				if x.families[n] == nil && !slices.Contains(sometimes, n) {
					t.Errorf("%s names %s, which is not there", file, n)
				}
			}
		}
		for n := range x.families {
			if strings.HasSuffix(file, ".md") && !named[n] {
				t.Errorf("%s has no row for %s", file, n)
			}
		}
	}
}

// sometimes are families that are left out where there is nothing to tell.
var sometimes = []string{
	"rnixfs_scope_limit_entries", "rnixfs_scanner_findings_total", "rnixfs_scanner_failures_total", "rnixfs_writeback_dropped_candidates",
}

// figures are those that a mount shows, checked.
func (m *mount) figures() *exposition {
	m.t.Helper()
	x := readExposition(m.must("cat $MNT/metrics"))
	for _, f := range x.faults {
		m.t.Error(f)
	}
	return x
}

// TestMetricsOfAnother: a user who has not mounted is shown no more than status shows.
func TestMetricsOfAnother(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	m := newMount(t, "", "--allow-other")
	m.must("chmod 755 . .. ../..; echo '{\"action\":\"add\",\"content\":\"The hangar is heated.\"}' > $MNT/commit")
	text, rc := m.as(ada, "/", "cat $MNT/metrics")
	x := readExposition(text)
	if rc != 0 || len(x.faults) > 0 {
		t.Fatalf("exit %d, %v: %s", rc, x.faults, text)
	}
	for name := range x.families {
		known := slices.ContainsFunc([]string{"requests_total", "scope_", "start_time_", "healthy", "scanner_", "writeback_"}, func(known string) bool { return strings.HasPrefix(name, "rnixfs_"+known) })
		if !known || name == "rnixfs_scanner_duration_seconds" {
			t.Errorf("another user is shown %s", name)
		}
	}
	if n := x.series[`rnixfs_scope_characters{scope="memory"}`]; n != 0 {
		t.Errorf("another user is shown the %v characters of the user who mounted", n)
	}
}
