package writebackeval_test

import (
	"bytes"
	"encoding/json"
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
		split             string
		precision, recall float64
	}{
		{writebackeval.Train, 0.80, 0.10},
		{writebackeval.Unseen, 0.90, 0.05},
		{writebackeval.All, 0.85, 0.07},
		{writebackeval.Agents, 0.80, 0.25},
	} {
		r, err := writebackeval.Measure(t.Context(), writebackeval.Options{Data: data, Split: floor.split})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("%s: precision %.3f, recall %.3f", floor.split, r.PrecisionAll, r.RecallAll)
		if r.PrecisionAll < floor.precision || r.RecallAll < floor.recall {
			t.Errorf("%s: precision %.3f, recall %.3f; want %.2f and %.2f at least",
				floor.split, r.PrecisionAll, r.RecallAll, floor.precision, floor.recall)
		}
	}
}

// TestLabels holds the built-in labels to what their documentation says.
func TestLabels(t *testing.T) {
	text, err := os.ReadFile("testdata/labels.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	cases, err := writebackeval.ReadLabels(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	keep, drop := 0, 0
	for _, c := range cases {
		keep, drop = keep+len(c.Keep), drop+len(c.Drop)
		for _, l := range append(c.Keep, c.Drop...) {
			n := 0
			for _, term := range l.Terms {
				n += len(strings.Fields(term))
				if term != strings.ToLower(term) {
					t.Errorf("%s: the term %q is not in lower case", c.Name, term)
				}
			}
			if n > 6 {
				t.Errorf("%s: %q are more than six words", c.Name, l.Terms)
			}
		}
	}
	if len(cases) < 40 || keep < 150 || drop < 150 {
		t.Errorf("%d conversations, %d to keep, %d to drop", len(cases), keep, drop)
	}
}

// TestAgents counts what a reader judged: an entry that nobody judged is false, a fact
// whose anchor is in no turn of its entry is not found.
func TestAgents(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join("specstory-roo", "debugging-configuration-profile-issues-in-roo-cline.md")
	for path, text := range map[string]string{
		name:           "_**User**_\n\ngo\n\n---\n\n_**User**_\n\nAlways lint the code. Never use tabs in tests.\n\n---\n",
		"labels.jsonl": `{"id":179,"conv":"x","kind":"instruction","anchor":"lint the code"}` + "\n" + `{"id":9,"conv":"x","kind":"fact","anchor":"tabs"}` + "\n" + `{"id":0,"conv":"x"}`,
	} {
		path = filepath.Join(dir, "agents", path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	r, err := writebackeval.Measure(t.Context(), writebackeval.Options{Data: dir, Split: writebackeval.Agents})
	if err != nil {
		t.Fatal(err)
	}
	if want := (writebackeval.Count{Found: 1, False: 1, Kept: 1, Missed: 1}); r.Count != want || r.Conversations != 1 {
		t.Errorf("got %+v of %d, want %+v", r.Count, r.Conversations, want)
	}
}

// set writes a folder of data and labels for it.
func set(t *testing.T, labels ...string) writebackeval.Options {
	t.Helper()
	dir := t.TempDir()
	talks := []map[string]any{{
		"sample_id": "one",
		"conversation": map[string]any{
			"speaker_a": "Ann", "speaker_b": "Bob",
			"session_1_date_time": "7:08 am on 6 May, 2024",
			"session_1": []map[string]string{
				{"speaker": "Ann", "dia_id": "D1:1", "text": "Always answer in French, please. I prefer short answers."},
				{"speaker": "Bob", "dia_id": "D1:2", "text": "Sure."},
				{"speaker": "Ann", "dia_id": "D1:3", "text": "Remember that my dog is called Rex."},
			},
		},
	}}
	text, err := json.Marshal(talks)
	if err != nil {
		t.Fatal(err)
	}
	o := writebackeval.Options{Data: dir, Labels: filepath.Join(dir, "labels.jsonl")}
	for name, text := range map[string]string{"talks.json": string(text), "labels.jsonl": strings.Join(labels, "\n")} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return o
}

const (
	here = `{"conversation":"talks.json#one/session_1","split":"train","user":"a"}`
	on   = `{"conversation":"talks.json#one/session_1",`
)

func TestMeasure(t *testing.T) {
	o := set(t, here,
		on+`"turns":["u0"],"label":"keep","category":"instruction","target":"user","terms":["french"]}`,
		on+`"turns":["u0"],"label":"drop","terms":["short"]}`,
		on+`"turns":["u1"],"label":"keep","category":"request","target":"memory","terms":["rex"]}`,
		on+`"turns":["u1"],"label":"keep","category":"fact","target":"user","terms":["cat"]}`,
	)
	r, err := writebackeval.Measure(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	want := writebackeval.Count{Found: 2, False: 1, Missed: 1, Kept: 2}
	if r.Count != want || r.Conversations != 1 || r.Labels != 4 || r.Target != 0.5 {
		t.Errorf("got %+v of %d labels, %.2f in their scope; want %+v", r.Count, r.Labels, r.Target, want)
	}
	if len(r.Alarms) != 1 || r.Alarms[0].Why != "dropped" || len(r.Misses) != 1 || len(r.Hits) != 2 {
		t.Errorf("alarms %v, misses %v, hits %v", r.Alarms, r.Misses, r.Hits)
	}
	var b bytes.Buffer
	if err := writebackeval.Print(&b, r, true); err != nil || !strings.Contains(b.String(), "precision 0.667 (2 of 3 candidates)") {
		t.Errorf("%v\n%s", err, b.String())
	}
	o.Split = writebackeval.Test
	if r, err := writebackeval.Measure(t.Context(), o); err != nil || r.Conversations != 0 {
		t.Errorf("the other split: %v, %v", r, err)
	}
}

func TestRepeatedIsFalse(t *testing.T) {
	o := set(t, here, on+`"label":"keep","category":"fact","target":"user","terms":["e"]}`)
	r, err := writebackeval.Measure(t.Context(), o)
	if err != nil || r.Found != 1 || r.False != 2 || r.Alarms[0].Why != "repeated" {
		t.Errorf("got %+v, %v", r, err)
	}
}

func TestMistakes(t *testing.T) {
	for name, labels := range map[string][]string{
		"no JSON":               {"{"},
		"unknown field":         {`{"conversation":"x","split":"train","txt":"y"}`},
		"unknown split":         {`{"conversation":"x","split":"all"}`},
		"no split of a file":    {`{"conversation":"x","split":"unseen"}`},
		"named twice":           {here, here},
		"not named":             {on + `"label":"keep","terms":["x"]}`},
		"no terms":              {here, on + `"label":"keep"}`},
		"neither keep nor drop": {here, on + `"label":"maybe","terms":["x"]}`},
	} {
		_, err := writebackeval.Measure(t.Context(), set(t, labels...))
		var e *memory.Error
		if !errors.As(err, &e) || e.Kind != memory.KindInvalid {
			t.Errorf("%s: %v", name, err)
		}
	}
	o := set(t, `{"conversation":"talks.json#two/session_1","split":"train","user":"a"}`)
	if _, err := writebackeval.Measure(t.Context(), o); err == nil {
		t.Error("a talk that is not there is no mistake")
	}
	if _, err := writebackeval.Measure(t.Context(), writebackeval.Options{Data: o.Data, Split: "some"}); err == nil {
		t.Error("an unknown split is no mistake")
	}
	if _, err := writebackeval.Measure(t.Context(), writebackeval.Options{}); err == nil {
		t.Error("no folder is no mistake")
	}
}
