package recalleval

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

const locomo = `[{"sample_id":"s1","qa":[
 {"question":"Where does Ada live?","answer":"Oslo","evidence":["D1:1; D2:01","D:1:2"],"category":1},
 {"question":"Nothing?","evidence":[],"category":5}],
 "conversation":{"speaker_a":"Ada","speaker_b":"Ben","session_1_date_time":"1:56 pm on 8 May, 2023",
 "session_1":[{"speaker":"Ada","dia_id":"D1:1","text":"I live in Oslo"},{"speaker":"Ben","dia_id":"D1:2","text":"Look","blip_caption":"a fjord"}],
 "session_2":[{"speaker":"Ada","dia_id":"D2:1","text":"Bye"}]}}]`

const neutral = `{"conversations":[{"id":7,"sessions":[
 {"id":"a","time":"2026-01-02","turns":[{"id":1,"role":"user","content":"the router is in the attic"},{"id":2,"role":"assistant","content":"Noted."}]},
 {"id":"b","time":"2026-01-03T10:00:00Z","turns":[{"id":3,"role":"Ada","content":"the attic is cold"},{"id":4,"role":"user","content":"lunch was good"}]}],
 "questions":[{"question":"where is the router","category":"fact","evidence":[1]},{"question":"what is cold","category":"fact","evidence":["3","9"]},{"question":"","evidence":[1]}]}]}`

func TestParseLocomo(t *testing.T) {
	for _, raw := range []string{locomo, strings.Trim(locomo, "[]")} {
		if raw[0] != '[' && !strings.HasSuffix(raw, "}}") {
			raw = locomo[1 : len(locomo)-1]
		}
		set, err := Parse([]byte(raw))
		if err != nil {
			t.Fatal(err)
		}
		c := set.Conversations[0]
		if len(c.Sessions) != 2 || len(c.Questions) != 2 || c.ID != "s1" {
			t.Fatalf("%+v", c)
		}
		turn := c.Sessions[0].Turns[1]
		if turn.Content != "Ben: Look [shared a fjord]" || turn.Role != process.RoleUser || turn.Time.Format("2006-01-02 15:04") != "2023-05-08 13:56" {
			t.Errorf("turn %+v", turn)
		}
		if got := c.Questions[0].Evidence; !slices.Equal(got, []string{"D1:1", "D1:2", "D2:1"}) {
			t.Errorf("evidence %q", got)
		}
	}
}

func TestParseNeutral(t *testing.T) {
	set, err := Parse([]byte(neutral))
	if err != nil {
		t.Fatal(err)
	}
	c := set.Conversations[0]
	if c.ID != "7" || len(c.Questions) != 2 {
		t.Fatalf("%+v", c)
	}
	if got := c.Sessions[1].Turns[0]; got.Content != "Ada: the attic is cold" || got.Role != process.RoleUser || got.ID != "3" {
		t.Errorf("a person's turn %+v", got)
	}
	if got := c.Sessions[0].Turns[1]; got.Role != process.RoleAssistant || got.Time.Day() != 2 {
		t.Errorf("an assistant's turn %+v", got)
	}
}

func TestParseFails(t *testing.T) {
	for raw, want := range map[string]string{
		"":                     "empty",
		"{}":                   "neither",
		"[1]":                  "LoCoMo",
		"[{}]":                 "no conversation",
		`{"conversations":[]}`: "no question",
		`{"conversations":[{"sessions":[{"time":"soon","turns":[]}]}]}`:                                                                                    "neither RFC 3339",
		`{"conversations":[{"sessions":[{"turns":[{"id":"1","content":"a"},{"id":"1","content":"b"}]}],"questions":[{"question":"q","evidence":["1"]}]}]}`: "twice",
		`[{"conversation":{"session_1":[],"session_1_date_time":"yesterday"},"qa":[]}]`:                                                                    "session_1_date_time",
		`{"conversations":`: "unexpected end",
	} {
		if _, err := Parse([]byte(raw)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", raw, err, want)
		}
	}
}

// TestRun measures a set whose answers are known.
func TestRun(t *testing.T) {
	set, err := Parse([]byte(neutral))
	if err != nil {
		t.Fatal(err)
	}
	r, err := Recall(t.Context(), set)
	if err != nil {
		t.Fatal(err)
	}
	if r.Questions != 2 || r.Turns != 4 || r.Sessions != 2 || r.Unanswerable != 0 {
		t.Errorf("report %+v", r)
	}
	if r.Hit1 != 1 || r.MRR != 1 || r.SessionHit1 != 1 || r.Recall10 != 0.75 {
		t.Errorf("metrics %+v", r.Metrics)
	}
	for name, run := range map[string]func() (*Report, error){
		"fts5":  func() (*Report, error) { return FTS5(t.Context(), set) },
		"bleve": func() (*Report, error) { return Bleve(t.Context(), set) },
	} {
		if r, err := run(); err != nil || r.Hit10 != 1 {
			t.Errorf("%s: %+v, %v", name, r, err)
		}
	}
}

// TestMetrics works one ranking out by hand.
func TestMetrics(t *testing.T) {
	q := &Question{Evidence: []string{"b", "d"}}
	sessions := map[string]string{"a": "s1", "b": "s2", "c": "s1", "d": "s3"}
	found := []Ranked{{"a", "s1", nil}, {"b", "s2", nil}, {"c", "s1", nil}, {"x", "s1", []string{"y", "d"}}}
	a := judge(q, found, sessions)
	if a.rank != 2 || a.sessionRank != 2 {
		t.Fatalf("%+v", a)
	}
	if any := judge(&Question{Evidence: []string{"c", "e"}, AnyTurn: true}, found, sessions); !slices.Equal(any.ranks, []int{1}) {
		t.Errorf("any turn of the session: %v", any.ranks)
	}
	var m Metrics
	m.add(q, &a)
	m.add(&Question{}, &answer{})
	m.add(&Question{}, &answer{found: 1})
	m.finish()
	want := (1/math.Log2(3) + 1/math.Log2(5)) / (1 + 1/math.Log2(3))
	if m.Hit1 != 0 || m.Hit5 != 1 || m.Recall5 != 1 || m.MRR != 0.5 || math.Abs(m.NDCG10-want) > 1e-9 || m.SessionHit1 != 0 || m.SessionHit5 != 1 || m.Questions != 1 || m.Unanswerable != 2 || m.Nothing != 0.5 {
		t.Errorf("%+v", m)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(locomo))
	f.Add([]byte(neutral))
	f.Fuzz(func(t *testing.T, raw []byte) {
		set, err := Parse(raw)
		if (set == nil) == (err == nil) {
			t.Errorf("set %v, error %v", set, err)
		}
	})
}
