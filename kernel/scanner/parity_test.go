package scanner

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"github.com/spf13/viper"
	"github.com/zricethezav/gitleaks/v8/config"
	"github.com/zricethezav/gitleaks/v8/detect"
	"github.com/zricethezav/gitleaks/v8/logging"
)

// oracle is gitleaks' own detector with its default rules. The global allow
// list is ours, because its own is broken.
var oracle = sync.OnceValues(func() (*detect.Detector, error) {
	logging.Logger = zerolog.Nop()
	v := viper.New()
	v.SetConfigType("toml")
	if err := v.ReadConfig(strings.NewReader(config.DefaultConfig)); err != nil {
		return nil, err
	}
	var vc config.ViperConfig
	if err := v.Unmarshal(&vc); err != nil {
		return nil, err
	}
	cfg, err := vc.Translate()
	if err != nil {
		return nil, err
	}
	global := &config.Allowlist{Regexes: globalAllow, StopWords: []string{"abcdefghijklmnopqrstuvwxyz"}}
	if err := global.Validate(); err != nil {
		return nil, err
	}
	cfg.Allowlists = []*config.Allowlist{global}
	d := detect.NewDetector(cfg)
	d.IgnoreGitleaksAllow = true
	d.MaxDecodeDepth = 0
	return d, nil
})

func plainGitleaks(t testing.TB) *detect.Detector {
	t.Helper()
	d, err := oracle()
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// missed returns what the detector finds in the raw text and our engine, with
// the same rules, does not.
func missed(t testing.TB, e *engine, d *detect.Detector, text string) []string {
	t.Helper()
	ours := map[string]bool{}
	var values []string
	err := e.run(t.Context(), &view{kind: viewRaw, text: text}, &windows{}, func(m *match) bool {
		ours[m.rule.id+"\x00"+m.value] = true
		values = append(values, m.value)
		return true
	})
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, f := range d.DetectString(text) {
		if isForeignName(f.RuleID, f.Secret) || placeholder(f.Secret) && f.RuleID != "private-key" || f.RuleID == foreignGeneric && publicKey.MatchString(f.Line) {
			continue // on purpose
		}
		if !ours[f.RuleID+"\x00"+f.Secret] && !slices.ContainsFunc(values, func(v string) bool { return strings.Contains(v, f.Secret) }) {
			out = append(out, fmt.Sprintf("%s at line %d column %d", f.RuleID, f.StartLine, f.StartColumn))
		}
	}
	return out
}

func foreignEngine(t testing.TB) *engine {
	t.Helper()
	specs, err := loadForeign(defaultForeign())
	if err != nil {
		t.Fatal(err)
	}
	rules, err := newRules(specs)
	if err != nil {
		t.Fatal(err)
	}
	return newEngine(rules)
}

// What gitleaks' detector finds, our engine finds: on texts made of the rules'
// own keywords, of token-like words at every distance from them, and of line
// ends.
func TestParityOnMadeUpTexts(t *testing.T) {
	e, d := foreignEngine(t), plainGitleaks(t)
	total := 0
	for i := range uint64(60) {
		text := madeUp(e, i)
		total += len(d.DetectString(text))
		for _, m := range missed(t, e, d, text) {
			t.Errorf("text %d: gitleaks finds %s, we do not:\n%s", i, m, text)
		}
	}
	if total < 15 {
		t.Errorf("gitleaks finds %d secrets in the texts: too few to compare", total)
	}
}

// The same on real texts, where there are some.
func TestParityOnData(t *testing.T) {
	dir := evalDir(t)
	e, d := foreignEngine(t), plainGitleaks(t)
	n, bad := 0, 0
	for _, file := range []string{"positives.jsonl", "evasion.jsonl", "negatives.jsonl"} {
		for _, row := range readRows(t, filepath.Join(dir, "secrets", file)) {
			n++
			for _, m := range missed(t, e, d, row.Text) {
				bad++
				t.Errorf("%s, %s: gitleaks finds %s, we do not", file, row.Category, m)
			}
		}
	}
	t.Logf("%d texts, %d differences", n, bad)
}

type row struct {
	Text     string `json:"text"`
	Label    string `json:"label"`
	Category string `json:"category"`
	Secret   string `json:"secret"`
}

func evalDir(t testing.TB) string {
	t.Helper()
	dir := os.Getenv("RNIXFS_EVAL_DATA")
	if dir == "" {
		t.Skip("RNIXFS_EVAL_DATA is not set: no labelled data to measure on")
	}
	return dir
}

func readRows(t testing.TB, path string) []row {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var rows []row
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		var r row
		if err := json.Unmarshal(sc.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, r)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return rows
}
