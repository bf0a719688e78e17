package main_test

import (
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

var (
	comment = regexp.MustCompile(`^# (HELP|TYPE) (rnixfs_[a-z_]+) (.+)$`)
	sample  = regexp.MustCompile(`^(rnixfs_[a-z_]+)(?:\{(.*)\})? (\S+)$`)
	label   = regexp.MustCompile(`^([a-z_]+)="((?:[^"\\\n]|\\[\\n"])*)"(?:,|$)`)
	bounded = []string{"device", "code", "le", "scope", "rule", "category", "verdict", "reason", "version", "goversion"}
)

// family is what is known of a family of metrics.
type family struct {
	kind   string
	help   bool
	closed bool // another has begun
}

// exposition is a text in Prometheus' format, checked.
type exposition struct {
	families map[string]*family
	series   map[string]float64
	faults   []string
}

func (x *exposition) fault(format string, args ...any) {
	x.faults = append(x.faults, fmt.Sprintf(format, args...))
}

// read checks a text by the rules of the format and of naming: each family is whole, with
// HELP and TYPE before its samples, no series comes twice, and labels are of a few kinds.
func readExposition(text string) *exposition {
	x := &exposition{families: map[string]*family{}, series: map[string]float64{}}
	if !strings.HasSuffix(text, "\n") {
		x.fault("no newline at the end")
	}
	current := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if m := comment.FindStringSubmatch(line); m != nil {
			current = x.comment(current, m[2], m[1], m[3])
		} else if m := sample.FindStringSubmatch(line); m != nil {
			x.sample(current, m[1], m[2], m[3])
		} else {
			x.fault("%q is neither a comment nor a sample", line)
		}
	}
	for name, f := range x.families {
		if f.kind == "histogram" {
			x.histogram(name)
		}
	}
	return x
}

func (x *exposition) comment(current, name, what, value string) string {
	f := x.families[name]
	switch {
	case f == nil:
		f = &family{}
		x.families[name] = f
		if old := x.families[current]; old != nil {
			old.closed = true
		}
	case f.closed || name != current:
		x.fault("%s comes twice", name)
	}
	switch {
	case what == "HELP" && f.help, what == "TYPE" && f.kind != "":
		x.fault("%s has %s twice", name, what)
	case what == "HELP":
		f.help = true
	default:
		f.kind = value
		if counts := strings.HasSuffix(name, "_total"); counts != (value == "counter") {
			x.fault("%s is a %s", name, value)
		}
	}
	return name
}

func (x *exposition) sample(current, name, labels, value string) {
	f := x.families[current]
	if f == nil || !f.help || f.kind == "" {
		x.fault("%s before its HELP and TYPE", name)
		return
	}
	suffix, ok := strings.CutPrefix(name, current)
	several := f.kind == "histogram" || f.kind == "summary"
	if !ok || (suffix != "") != several || several && !slices.Contains([]string{"_bucket", "_sum", "_count"}, suffix) {
		x.fault("%s is no sample of the %s %s", name, f.kind, current)
	}
	for rest := labels; rest != ""; {
		m := label.FindStringSubmatch(rest)
		if m == nil || !slices.Contains(bounded, m[1]) {
			x.fault("%s has the labels %s", name, labels)
			break
		}
		rest = rest[len(m[0]):]
	}
	n, err := strconv.ParseFloat(value, 64)
	id := name + "{" + labels + "}"
	if _, twice := x.series[id]; twice || err != nil || n < 0 {
		x.fault("%s %s comes twice, or has no value", id, value)
	}
	x.series[id] = n
}

// histogram checks that buckets count up to the number of all.
func (x *exposition) histogram(name string) {
	before := map[string][2]float64{} // by device: the last bound, and its count
	for _, id := range slices.SortedFunc(maps.Keys(x.series), func(a, b string) int { return strings.Compare(boundOf(a), boundOf(b)) }) {
		device, le, ok := strings.Cut(strings.TrimPrefix(id, name+"_bucket{"), `,le="`)
		if !ok || !strings.HasPrefix(id, name+"_bucket{") {
			continue
		}
		bound, _ := strconv.ParseFloat(strings.TrimSuffix(le, `"}`), 64)
		if last, seen := before[device]; seen && (x.series[id] < last[1] || bound <= last[0]) {
			x.fault("%s counts down", id)
		}
		before[device] = [2]float64{bound, x.series[id]}
	}
	for device, last := range before {
		if x.series[name+"_count{"+device+"}"] != last[1] || !slices.Contains(slices.Collect(maps.Keys(x.series)), name+"_bucket{"+device+`,le="+Inf"}`) {
			x.fault("%s of %s has other buckets than its count", name, device)
		}
	}
}

// boundOf makes bounds sort as numbers.
func boundOf(id string) string {
	_, le, _ := strings.Cut(id, `le="`)
	n, _ := strconv.ParseFloat(strings.TrimSuffix(le, `"}`), 64)
	return fmt.Sprintf("%030.9f", min(n, 1e15))
}

// TestExposition: the checker of the text finds what is wrong in one.
func TestExposition(t *testing.T) {
	head := "# HELP rnixfs_a_total A.\n# TYPE rnixfs_a_total counter\n"
	buckets := "# HELP rnixfs_h H.\n# TYPE rnixfs_h histogram\n"
	for text, want := range map[string]string{
		head + "rnixfs_a_total 1\n":                         "",
		head + "rnixfs_a_total{code=\"a\\\"b\"} 1\n":        "",
		head + "rnixfs_a_total 1":                           "newline",
		"rnixfs_a_total 1\n":                                "before its HELP",
		head + head + "rnixfs_a_total 1\n":                  "twice",
		head + "rnixfs_a_total 1\nrnixfs_a_total 2\n":       "twice",
		head + "rnixfs_a_total{pid=\"7\"} 1\n":              "labels",
		head + "rnixfs_b_total 1\n":                         "no sample",
		head + "rnixfs_a_total -1\n":                        "no value",
		strings.ReplaceAll(head, "counter", "gauge"):        "is a gauge",
		head + "other 1\n":                                  "neither",
		head + "rnixfs_a_total 1\n" + buckets + head + "\n": "comes twice",
		buckets + "rnixfs_h_bucket{device=\"d\",le=\"1\"} 2\nrnixfs_h_bucket{device=\"d\",le=\"+Inf\"} 1\nrnixfs_h_sum{device=\"d\"} 1\nrnixfs_h_count{device=\"d\"} 1\n": "counts down",
		buckets + "rnixfs_h_bucket{device=\"d\",le=\"1\"} 1\nrnixfs_h_bucket{device=\"d\",le=\"+Inf\"} 1\nrnixfs_h_sum{device=\"d\"} 1\nrnixfs_h_count{device=\"d\"} 2\n": "other buckets",
	} {
		if got := strings.Join(readExposition(text).faults, "; "); want == "" && got != "" || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
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
		`rnixfs_scope_limit_characters{scope="memory"}`, `rnixfs_scanner_rejected_total{}`, `rnixfs_kept_replies{}`, `rnixfs_start_time_seconds{}`,
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
		if f := before.families[strings.TrimSuffix(strings.TrimSuffix(strings.TrimSuffix(name, "_bucket"), "_count"), "_sum")]; (f == nil || f.kind != "gauge") && after.series[id] < n {
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
