package scanner

import (
	"bytes"
	cmpstd "cmp"
	"context"
	"encoding/base64"
	"errors"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// The ways in which gitleaks, as a library, lets a secret pass without an
// error. Each test fails if its way is open here.

func githubToken(seed uint64) string {
	return "gh" + "p_" + random(rand.New(rand.NewPCG(7, seed)), alphabets["an"], 36)
}

func mustFind(t *testing.T, s *Scanner, rule, text string) {
	t.Helper()
	rep := scanText(t, s, text)
	if rule == "" && len(rep.Findings) > 0 {
		return
	}
	for _, f := range rep.Findings {
		if f.Rule == rule {
			return
		}
	}
	t.Errorf("rule %q did not fire (but %q did)", rule, ids(rep.Findings))
}

// A third load of an extended configuration has one rule in gitleaks.
func TestTrapLoadsAreEqual(t *testing.T) {
	var first Stats
	for i := range 5 {
		s, err := New(Options{})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = s.Stats()
		}
		if got := s.Stats(); got.Rules != first.Rules || got.RulesHash != first.RulesHash {
			t.Fatalf("load %d: %d rules %s, load 0: %d rules %s", i, got.Rules, got.RulesHash, first.Rules, first.RulesHash)
		}
		mustFind(t, s, "github-pat", githubToken(1))
	}
	if first.Rules < foreignRules {
		t.Errorf("%d rules, want more than gitleaks' %d", first.Rules, foreignRules)
	}
}

// The word "false" in a PEM header, or anywhere in a value, hides it.
func TestTrapGlobalAllowList(t *testing.T) {
	body := strings.Repeat(random(rand.New(rand.NewPCG(3, 3)), alphabets["b64"], 64)+"\n", 4)
	s := foreignOnly(t)
	mustFind(t, s, "private-key", "-----BEGIN RSA PRIVATE KEY-----\nX-Encrypted: false\n\n"+body+"-----END RSA PRIVATE KEY-----")
	for _, word := range []string{"false", "null", "true"} {
		value := random(rand.New(rand.NewPCG(4, 4)), alphabets["an"], 24) + word
		mustFind(t, s, "generic-api-key", `api_key = "`+value+`"`)
	}
}

// A comment on the line hides it.
func TestTrapInlineAllow(t *testing.T) {
	mustFind(t, foreignOnly(t), "github-pat", githubToken(2)+" # gitleaks:allow")
}

// A stop word inside the value hides it from gitleaks' generic rule: our own
// rules have no such list.
func TestTrapStopWords(t *testing.T) {
	value := random(rand.New(rand.NewPCG(5, 5)), alphabets["an"], 16) + "admin" + random(rand.New(rand.NewPCG(6, 6)), alphabets["an"], 12)
	mustFind(t, scanner(t), "rnix-secret-assignment", "DEPLOY_API_KEY="+value)
}

// A cancelled or late context returns a part of the findings and no error.
func TestTrapContext(t *testing.T) {
	s := scanner(t)
	text := []Field{{Name: "content", Text: githubToken(3)}}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if rep, err := s.Scan(ctx, text); reason(err) != ReasonCanceled || len(rep.Findings) > 0 {
		t.Errorf("cancelled: %v, %v", rep, err)
	}
	ctx, cancel = context.WithDeadline(context.Background(), time.Unix(0, 0))
	defer cancel()
	_, err := s.Scan(ctx, text)
	if reason(err) != ReasonTimeout || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("late: %v", err)
	}
	if _, err := s.Redact(ctx, text[0].Text); reason(err) != ReasonTimeout {
		t.Errorf("late redaction: %v", err)
	}
}

// The scanner's own deadline is an error too.
func TestTrapTimeout(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	s.opts.Timeout = time.Nanosecond
	if _, err := s.Scan(context.Background(), []Field{{Text: githubToken(3)}}); reason(err) != ReasonTimeout {
		t.Errorf("got %v, want a timeout", err)
	}
}

// A text over a limit is skipped without a word.
func TestTrapSize(t *testing.T) {
	s := scanner(t)
	long := strings.Repeat("a word ", (384<<10)/7)
	mustFind(t, s, "github-pat", long[:len(long)-100]+" "+githubToken(4))
	if _, err := s.Scan(context.Background(), []Field{{Text: long + strings.Repeat(" ", 7)}}); reason(err) != ReasonTooLarge {
		t.Errorf("got %v, want too_large", err)
	}
	if _, err := s.Scan(context.Background(), []Field{{Text: long}, {Text: long}, {Text: long}}); reason(err) != ReasonTooLarge {
		t.Errorf("request: got %v, want too_large", err)
	}
}

func TestTrapEncoding(t *testing.T) {
	s := scanner(t)
	for _, f := range []Field{{Name: "content", Text: "a\xffb"}, {Name: "a\xff", Text: "b"}} {
		if _, err := s.Scan(context.Background(), []Field{f}); reason(err) != ReasonEncoding {
			t.Errorf("got %v, want encoding", err)
		}
	}
}

// A bad rule panics, a doubled one replaces the first, a key that is not known
// is skipped, an extension loses the default rules.
func TestTrapRuleFiles(t *testing.T) {
	good := func() (string, []string) {
		own, err := ownFiles()
		if err != nil {
			t.Fatal(err)
		}
		return defaultForeign(), own
	}
	rule := func(body string) string {
		return "schema = 1\n[[rules]]\nid = \"x-rule\"\ndescription = \"d\"\ncategory = \"secret\"\nkeywords = [\"k\"]\nwindow = [1, 9]\n" +
			"tests = [{ want = true, text = 'k' }, { want = false, text = 'b' }]\n" + body
	}
	foreign, own := good()
	if _, err := load(Options{}, foreign, append(own, rule("regex = 'k'"))); err != nil {
		t.Fatalf("a good rule: %v", err)
	}
	for name, bad := range map[string]string{
		"repeat count":    rule("regex = 'k{2000}'"),
		"lookahead":       rule("regex = '(?=k)'"),
		"no regex":        rule(""),
		"unknown key":     rule("regex = 'k'\nrequired = true"),
		"unknown filter":  rule("regex = 'k'\nfilter = 'nope'"),
		"unknown view":    rule("regex = 'k'\nviews = ['nope']"),
		"unknown redact":  rule("regex = 'k'\nredact = 'nope'"),
		"severity":        rule("regex = 'k'\nseverity = 'nope'"),
		"no such group":   rule("regex = 'k'\nsecretGroup = 1"),
		"path":            rule("regex = 'k'\npath = 'x'"),
		"extend":          "[extend]\nuseDefault = true\n" + rule("regex = 'k'"),
		"twice":           rule("regex = 'k'") + strings.TrimPrefix(rule("regex = 'k'"), "schema = 1"),
		"taken":           strings.Replace(rule("regex = 'k'"), "x-rule", "github-pat", 1),
		"taken, unicode":  strings.Replace(rule("regex = 'k'"), "x-rule", "unicode-tag", 1),
		"upper case word": strings.Replace(rule("regex = 'k'"), `["k"]`, `["K"]`, 1),
		"no keyword":      strings.Replace(rule("regex = 'k'"), `["k"]`, `[]`, 1),
		"no negative":     strings.Replace(rule("regex = 'k'"), "want = false", "want = true", 1),
		"no schema":       strings.TrimPrefix(rule("regex = 'k'"), "schema = 1"),
		"not toml":        "[[rules",
		"empty":           "",
	} {
		if s, err := load(Options{}, foreign, append(slices.Clone(own), bad)); reason(err) != ReasonRules || s != nil {
			t.Errorf("%s: got %v, want a failure to load", name, err)
		}
	}
	if _, err := load(Options{}, foreign, nil); reason(err) != ReasonRules {
		t.Errorf("without our rules: %v", err)
	}
	if _, err := load(Options{}, "title = 'x'", own); reason(err) != ReasonRules {
		t.Errorf("without gitleaks' rules: %v", err)
	}
	last := strings.LastIndex(foreign, "[[rules]]")
	if _, err := load(Options{}, foreign[:last], own); reason(err) != ReasonRules {
		t.Errorf("with one rule less: %v", err)
	}
}

// Rules that load but find nothing do not start.
func TestTrapSelfTest(t *testing.T) {
	own, err := ownFiles()
	if err != nil {
		t.Fatal(err)
	}
	for i := range own {
		own[i] = strings.ReplaceAll(own[i], `category = "secret"`, "category = \"secret\"\nseverity = \"off\"")
	}
	foreign := strings.ReplaceAll(defaultForeign(), "[[rules]]", "[[rules]]\nseverity = \"off\"")
	if s, err := load(Options{}, foreign, own); reason(err) != ReasonSelfTest || s != nil {
		t.Errorf("got %v, want a failed self test", err)
	}
}

// A panic is a failure, without the text.
func TestTrapPanic(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.engine.rules {
		r.filter = func(m *match) bool { panic(m.value) }
		r.allow, r.allowed, r.foreign = nil, nil, false
	}
	token := githubToken(5)
	rep, err := s.Scan(context.Background(), []Field{{Text: token}})
	if reason(err) != ReasonPanic || strings.Contains(err.Error(), token) || len(rep.Findings) > 0 {
		t.Errorf("got %v, want a panic without the text", err)
	}
}

// gitleaks writes secrets to its log, and a line with the encoded secret into
// the finding; here nothing of the value leaves, by any road.
func TestTrapNothingLeaks(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	token := githubToken(6)
	stderr := captureStderr(t, func() {
		rep := scanText(t, s, "first "+token+"\nsecond password is "+token+" and\npostgres://app:"+token+"@db/x")
		if len(rep.Findings) == 0 {
			t.Error("nothing found")
		}
		for _, f := range append(rep.Findings, rep.Warnings...) {
			for _, shown := range []string{f.Preview, f.Description, f.Field, f.Rule} {
				if strings.Contains(shown, token[:8]) {
					t.Errorf("%s shows the value: %q", f.Rule, shown)
				}
			}
		}
	})
	if strings.Contains(stderr, token[:8]) {
		t.Errorf("stderr shows the value")
	}
}

func captureStderr(t *testing.T, f func()) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	old := os.Stderr
	os.Stderr = w
	defer func() { os.Stderr = old }()
	var buf bytes.Buffer
	var wg sync.WaitGroup
	wg.Go(func() { _, _ = buf.ReadFrom(r) })
	f()
	_ = w.Close()
	wg.Wait()
	return buf.String()
}

// The order of gitleaks' findings is the order of a map. Here two scanners and
// two scans agree, also when many goroutines share one (run with -race).
func TestTrapOrderAndRaces(t *testing.T) {
	text := "a " + githubToken(8) + "\nthe password is Tr0ub4dor&3x\nb (" + githubToken(9) + "), rm -rf / \n" + `{"api_key":"` + githubToken(10) + `"}`
	s := scanner(t)
	want := scanText(t, s, text)
	if len(want.Findings) < 4 {
		t.Fatalf("only %s", ids(want.Findings))
	}
	if !slices.IsSortedFunc(want.Findings, func(a, b Finding) int {
		return cmpstd.Or(cmpstd.Compare(a.Offset, b.Offset), cmpstd.Compare(a.Rule, b.Rule))
	}) {
		t.Errorf("not sorted: %+v", want.Findings)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 4 {
				got, err := s.Scan(context.Background(), []Field{{Name: "content", Text: text}})
				if err != nil {
					t.Error(err)
				}
				if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Finding{})); d != "" {
					t.Error(d)
				}
			}
		})
	}
	wg.Wait()
}

func reason(err error) Reason {
	var f *Failure
	if errors.As(err, &f) {
		return f.Reason
	}
	return ""
}

// foreignOnly returns a scanner in which only gitleaks' rules fire.
func foreignOnly(t *testing.T) *Scanner {
	t.Helper()
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range s.engine.rules {
		if !r.foreign {
			r.action = Off
		}
	}
	s.engine = newEngine(s.engine.rules)
	return s
}

// Redaction at full strength leaves the encoded secret in the line of a decoded
// finding: here neither the value nor its code is shown.
func TestTrapEncodedLeak(t *testing.T) {
	token := githubToken(11)
	coded := base64.StdEncoding.EncodeToString([]byte("token " + token))
	rep := scanText(t, scanner(t), "backup blob "+coded+" of May")
	if len(rep.Findings) == 0 {
		t.Fatal("nothing found")
	}
	for _, f := range rep.Findings {
		if strings.Contains(f.Preview, coded[1:9]) || strings.Contains(f.Preview, token[:8]) {
			t.Errorf("%s shows the value: %q", f.Rule, f.Preview)
		}
	}
}

// A path on the allow list (go.sum, a lock file, an image) skips everything: a
// field's name is no path.
func TestTrapPath(t *testing.T) {
	for _, name := range []string{"go.sum", "package-lock.json", "a/node_modules/b.js", "logo.png", "gitleaks.toml"} {
		rep, err := scanner(t).Scan(context.Background(), []Field{{Name: name, Text: githubToken(12)}})
		if err != nil || len(rep.Findings) == 0 {
			t.Errorf("%s: nothing found, %v", name, err)
		}
	}
}
