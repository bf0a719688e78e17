package writebackeval_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/eval/writebackeval"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestFloor keeps the figures of docs/writeback.md from falling.
func TestFloor(t *testing.T) {
	data := os.Getenv("RNIXFS_EVAL_DATA")
	if data == "" {
		t.Skip("RNIXFS_EVAL_DATA names no folder of conversations")
	}
	for _, floor := range []struct {
		by                string
		conversations     int
		precision, recall float64
	}{
		{writebackeval.ByRules, 26, 0.70, 0.15},
		{writebackeval.ByModel, 26, 0.85, 0.60},
	} {
		r, err := writebackeval.Measure(t.Context(), data, floor.by)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: precision %.3f, recall %.3f, %d of %d quotes true", floor.by, r.Precision, r.Recall, r.True, r.Quotes)
		if r.Conversations < floor.conversations || r.Precision < floor.precision || r.Recall < floor.recall {
			t.Errorf("%s: %d conversations; want %d, %.2f and %.2f at least", floor.by, r.Conversations, floor.conversations, floor.precision, floor.recall)
		}
	}
}

const name = "specstory-roo/debugging-configuration-profile-issues-in-roo-cline.md"

// data writes a data folder with one conversation, whose first entry a reader found
// worth keeping.
func data(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for path, text := range map[string]string{
		name: "_**User**_\n\ngo\n\n---\n\n_**User**_\n\nAlways lint the code. Never use tabs in tests.\n\n---\n",
		"labels.jsonl": `{"id":179,"conv":"` + name + `","kind":"instruction","anchor":"lint the code"}` + "\n" +
			`{"id":9,"conv":"` + name + `","kind":"fact","anchor":"tabs"}` + "\n" + `{"id":0,"conv":"` + name + `"}`,
	} {
		path = filepath.Join(dir, "agents", path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestMeasure counts what a reader judged: an entry that nobody judged is false, a fact
// whose anchor is in no turn of its entry is not found.
func TestMeasure(t *testing.T) {
	r, err := writebackeval.Measure(t.Context(), data(t), writebackeval.ByRules)
	if err != nil {
		t.Fatal(err)
	}
	if r.Conversations != 1 || r.Entries != 2 || r.Worth != 1 || r.Facts != 2 || r.Found != 1 || r.Precision != 0.5 || r.Recall != 0.5 {
		t.Errorf("%+v", r)
	}
	var b bytes.Buffer
	if err := writebackeval.Print(&b, r, true); err != nil || !strings.Contains(b.String(), "precision 0.500 (1 of 2 entries") || !strings.Contains(b.String(), "unjudged") {
		t.Errorf("%v\n%s", err, b.String())
	}
	for dir, by := range map[string]string{"": writebackeval.ByRules, data(t): "guess", t.TempDir(): writebackeval.ByModel} {
		if _, err := writebackeval.Measure(t.Context(), dir, by); err == nil {
			t.Errorf("no error in %q by %s", dir, by)
		}
	}
}

// TestAnswers takes an answer to the exact prompt, and none to another.
func TestAnswers(t *testing.T) {
	dir, prompts, answers := data(t), t.TempDir(), t.TempDir()
	var out bytes.Buffer
	if err := writebackeval.WritePrompts(t.Context(), &out, dir, prompts); err != nil {
		t.Fatal(err)
	}
	file := strings.TrimSpace(out.String())
	if text, err := os.ReadFile(file); err != nil || !strings.Contains(string(text), "Always lint the code.") {
		t.Fatalf("%v: %.100s", err, text)
	}
	answer := strings.TrimSuffix(filepath.Base(file), ".txt") + ".json"
	words := `{"operations":[{"action":"add","worth":3,"text":"Always lint.","said":[{"turn":2,"quote":"Always lint the code."}]},{"action":"add","text":"No.","said":[{"turn":1,"quote":"No."}]}]}`
	if err := os.WriteFile(filepath.Join(answers, answer), []byte(words), 0o600); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(t.TempDir(), "answers.jsonl")
	for range 2 {
		out.Reset()
		if err := writebackeval.TakeAnswers(t.Context(), &out, dir, answers, record); err != nil {
			t.Fatal(err)
		}
		want := `{"conv":"` + name + `","text":"Always lint.","worth":"","fact":0,"quotes":["Always lint the code."]}` + "\n"
		if out.String() != want {
			t.Errorf("got %s", out.String())
		}
		if text, err := os.ReadFile(record); err != nil || strings.Count(string(text), "\n") != 1 {
			t.Errorf("%v: %s", err, text)
		}
	}
	if err := os.Rename(filepath.Join(answers, answer), filepath.Join(answers, strings.Replace(answer, ".md.", ".md.0", 1))); err != nil {
		t.Fatal(err)
	}
	if err := writebackeval.TakeAnswers(t.Context(), &out, dir, answers, record); memory.KindOf(err) != memory.KindNotFound || !strings.Contains(err.Error(), "the question has changed") {
		t.Errorf("an answer to another prompt: %v", err)
	}
}
