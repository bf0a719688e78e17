package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// command runs this test binary as the program.
func command(t *testing.T, args ...string) (string, error) {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), "EVAL_AS_PROGRAM=1")
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func TestMain(m *testing.M) {
	if os.Getenv("EVAL_AS_PROGRAM") != "" {
		main()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

const questions = `{"conversations":[{"id":"c","sessions":[
  {"id":"a","time":"2026-01-02","turns":[{"id":"1","role":"Ada","content":"where did you put the router?"},{"id":"2","role":"Ben","content":"in the attic"}]},
  {"id":"b","turns":[{"id":"3","role":"user","content":"lunch was good"},{"id":"4","role":"assistant","content":"Glad to hear."}]}],
  "questions":[{"question":"where is the router","evidence":["1","2"]},{"question":"why","evidence":[]}]}]}`

const rows = `{"text":"The db password is Tr0ub4dor&3x","label":"pos","category":"password"}
{"text":"The db password is in the vault","label":"neg","category":"prose"}
`

func TestPrints(t *testing.T) {
	set, labelled := write(t, "set.json", questions), write(t, "rows.jsonl", rows)
	for _, tc := range []struct {
		args []string
		want string // a field a line
	}{
		{[]string{"recall", "--baseline", set}, "rnixfs all 1 100.0"},
		{[]string{"recall", "--baseline", set}, "bleve all 1"},
		{[]string{"scan", "--baseline", labelled}, "recall password 1 rows 100.00 % gitleaks 0.00 %"},
		{[]string{"scan", labelled}, "false alarms ALL 1 rows 0.00 %"},
	} {
		out, err := command(t, tc.args...)
		if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), tc.want) {
			t.Errorf("%q: %v, want %q in\n%s", tc.args, err, tc.want, out)
		}
	}
}

func TestRefuses(t *testing.T) {
	for want, args := range map[string][]string{
		"say what to measure":     {"nothing"},
		"neither LoCoMo":          {"recall", write(t, "other.json", `{"turns":[]}`)},
		"no such file":            {"recall", "absent.json"},
		"name the files":          {"recall"},
		"line 1":                  {"scan", write(t, "rows.txt", "no row\n")},
		"flag provided but not d": {"scan", "--nope"},
		"no guard_*.jsonl in":     {"train", "--rows", "absent"},
	} {
		if out, err := command(t, args...); err == nil || !strings.Contains(out, want) {
			t.Errorf("%q: %v, want %q in %s", args, err, want, out)
		}
	}
}
