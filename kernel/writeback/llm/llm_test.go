package llm

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

const key = "a-key-that-nobody-may-see"

// reply is a server's answer with the model's words.
func reply(words string) string {
	text, _ := json.Marshal(words)
	return `{"choices":[{"message":{"role":"assistant","content":` + string(text) + `},"finish_reason":"stop"}],"usage":{"total_tokens":321}}`
}

const good = `{"entries":[{"content":"The API signs tokens with RS256.","target":"memory","category":"decision","importance":0.7,"turns":[1]}]}`

func talk() process.Transcript {
	return process.Transcript{Turns: []process.Turn{
		{ID: "a", Role: process.RoleUser, Content: "How do we sign tokens?"},
		{ID: "b", Role: process.RoleUser, Content: "We decided to sign them with RS256."},
	}}
}

// server answers questions one after the other; the last answer again and again.
func server(t *testing.T, answers ...http.HandlerFunc) (Endpoint, *atomic.Int32) {
	t.Helper()
	var n atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		i := int(n.Add(1)) - 1
		if r.URL.Path != "/v1/chat/completions" || r.Method != http.MethodPost || r.Header.Get("Authorization") != "Bearer "+key {
			t.Errorf("%s %s %q", r.Method, r.URL.Path, r.Header)
		}
		answers[min(i, len(answers)-1)](w, r)
	}))
	t.Cleanup(s.Close)
	return Endpoint{
		BaseURL: s.URL + "/v1/", Model: "m", Key: key, Timeout: 2 * time.Second,
		Sleep: func(context.Context, time.Duration) error { return nil },
	}, &n
}

func says(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

func extract(e Endpoint) ([]rules.Candidate, error) {
	return Extractor{func() Endpoint { return e }}.Extract(context.Background(), talk(), 0, 8)
}

func TestExtract(t *testing.T) {
	want := []rules.Candidate{{
		Target: memory.ScopeProject, Content: "The API signs tokens with RS256.", Category: rules.Decision, Type: "episodic",
		Importance: 0.7, Turns: []string{"b"},
	}}
	for name, answers := range map[string][]http.HandlerFunc{
		"plain":            {says(200, reply(good))},
		"fenced":           {says(200, reply("Here it is:\n```json\n"+good+"\n```\n"))},
		"knows no schemas": {says(400, `{"error":"response_format"}`), says(200, reply(good))},
		"busy at first":    {says(429, ""), says(503, ""), says(200, reply(good))},
	} {
		e, _ := server(t, answers...)
		got, err := extract(e)
		if diff := cmp.Diff(want, got); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", name, err, diff)
		}
	}
}

func TestBadAnswers(t *testing.T) {
	slow := func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		select {
		case <-r.Context().Done():
		case <-time.After(5 * time.Second):
		}
	}
	for name, tc := range map[string]struct {
		answers []http.HandlerFunc
		kind    memory.Kind
		asked   int32
	}{
		"unauthorized":       {[]http.HandlerFunc{says(401, key)}, memory.KindUnavailable, 1},
		"broken":             {[]http.HandlerFunc{says(500, "")}, memory.KindUnavailable, 3},
		"refuses everything": {[]http.HandlerFunc{says(400, "")}, memory.KindUnavailable, 2},
		"not JSON":           {[]http.HandlerFunc{says(200, "<html>")}, memory.KindInvalid, 1},
		"no choices":         {[]http.HandlerFunc{says(200, "{}")}, memory.KindInvalid, 1},
		"chatter":            {[]http.HandlerFunc{says(200, reply("I can't do that."))}, memory.KindInvalid, 1},
		"no list":            {[]http.HandlerFunc{says(200, reply(`{"memories":[]}`))}, memory.KindInvalid, 1},
		"wrong types":        {[]http.HandlerFunc{says(200, reply(`{"entries":[{"content":5}]}`))}, memory.KindInvalid, 1},
		"cut off":            {[]http.HandlerFunc{says(200, strings.Replace(reply(good[:40]), `"stop"`, `"length"`, 1))}, memory.KindInvalid, 1},
		"a stream":           {[]http.HandlerFunc{says(200, "data: {\"choices\":[{\"delta\":{\"content\":\"{}\"}}]}\n\n")}, memory.KindInvalid, 1},
		"huge":               {[]http.HandlerFunc{says(200, strings.Repeat("x", 2<<20))}, memory.KindTooBig, 1},
		"redirects": {[]http.HandlerFunc{func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/elsewhere", http.StatusTemporaryRedirect)
		}}, memory.KindUnavailable, 1},
		"slow": {[]http.HandlerFunc{slow}, memory.KindTimeout, 1},
	} {
		t.Run(name, func(t *testing.T) {
			e, n := server(t, tc.answers...)
			if name == "slow" {
				e.Timeout = 50 * time.Millisecond
			}
			got, err := extract(e)
			if err == nil || memory.KindOf(err) != tc.kind || n.Load() != tc.asked {
				t.Errorf("%v, %v (%v) after %d questions", got, err, memory.KindOf(err), n.Load())
			}
			if strings.Contains(fmt.Sprint(err), key) || strings.Contains(fmt.Sprint(err), "RS256") {
				t.Errorf("the error says too much: %v", err)
			}
		})
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody listens there now
	if _, err := extract(Endpoint{BaseURL: "http://user:" + key + "@" + l.Addr().String()}); memory.KindOf(err) != memory.KindUnavailable || strings.Contains(err.Error(), key) {
		t.Errorf("refused: %v", err)
	}
	if _, err := extract(Endpoint{BaseURL: "http://\x7f" + key}); memory.KindOf(err) != memory.KindInvalid || strings.Contains(err.Error(), key) {
		t.Errorf("no address: %v", err)
	}
	if _, err := extract(Endpoint{}); memory.KindOf(err) != memory.KindUnavailable {
		t.Errorf("not configured: %v", err)
	}
}

// TestClosedSets leaves out what was not asked for.
func TestClosedSets(t *testing.T) {
	entries := []string{
		`{"content":"a target of its own","target":"global","category":"fact","turns":[0]}`,
		`{"content":"a category of its own","target":"memory","category":"request","turns":[0]}`,
		`{"content":"from nowhere","target":"memory","category":"fact","turns":[]}`,
		`{"content":"from a turn that is not there","target":"memory","category":"fact","turns":[99,-1]}`,
		`{"content":"` + strings.Repeat("long ", 100) + `","target":"memory","category":"fact","turns":[0]}`,
		`{"content":"  ","target":"memory","category":"fact","turns":[0]}`,
	}
	for i := range 7 {
		entries = append(entries, fmt.Sprintf(`{"content":"good\n%d","target":"user","category":"fact","importance":7,"turns":[0,0]}`, i))
	}
	e, _ := server(t, says(200, reply(`{"entries":[`+strings.Join(entries, ",")+`]}`)))
	got, err := extract(e)
	if err != nil || len(got) != maxEntries || got[0].Content != "good 0" || got[0].Importance != 0.5 || len(got[0].Turns) != 1 || got[0].Asked {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestRetryAfter(t *testing.T) {
	var waits []time.Duration
	e, n := server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusTooManyRequests)
	})
	e.Sleep = func(_ context.Context, d time.Duration) error {
		waits = append(waits, d)
		return nil
	}
	if _, err := extract(e); err == nil || n.Load() != 3 {
		t.Errorf("%v after %d", err, n.Load())
	}
	if diff := cmp.Diff([]time.Duration{7 * time.Second, 7 * time.Second}, waits); diff != "" {
		t.Error(diff)
	}
	// One that wants more patience than there is, is left alone.
	e, n = server(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", time.Now().Add(time.Hour).UTC().Format(http.TimeFormat))
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	if _, err := extract(e); err == nil || n.Load() != 1 {
		t.Errorf("%v after %d", err, n.Load())
	}
}

func TestBudget(t *testing.T) {
	now := time.Date(2027, 1, 1, 23, 0, 0, 0, time.UTC)
	b := &Budget{File: filepath.Join(t.TempDir(), "x", "llm.json"), Max: 6000, Now: func() time.Time { return now }}
	e, n := server(t, says(200, reply(good)))
	e.Budget = b
	asked := 0
	for ; asked < 100; asked++ {
		if _, err := extract(e); err != nil {
			if memory.KindOf(err) != memory.KindOverLimit {
				t.Fatal(err)
			}
			break
		}
	}
	if asked == 0 || asked == 100 || int(n.Load()) != asked || b.Spent() != asked*321 {
		t.Errorf("%d questions, %d of them asked, %d tokens", asked, n.Load(), b.Spent())
	}
	again := &Budget{File: b.File, Max: b.Max, Now: b.Now} // another program
	if err := again.take(b.Max - b.Spent() + 1); memory.KindOf(err) != memory.KindOverLimit {
		t.Errorf("spent twice: %v", err)
	}
	now = now.Add(2 * time.Hour)
	if err := again.take(100); err != nil || again.Spent() != 100 {
		t.Errorf("a new day: %v, %d", err, again.Spent())
	}
}

func TestWindow(t *testing.T) {
	c := process.Transcript{}
	for i := range 400 {
		role := []process.Role{process.RoleAssistant, process.RoleTool, process.RoleTool, process.RoleUser}[i%4]
		c.Turns = append(c.Turns, process.Turn{ID: fmt.Sprint(i), Role: role, Content: fmt.Sprintf("<%d> %s", i, strings.Repeat("Wörter ", 200))})
	}
	const budget = 20000
	text := window(c.Turns, 100, budget)
	if n := tokens(text); n > budget {
		t.Errorf("%d tokens", n)
	}
	for _, want := range []int{100, 103, 399, 396, 395, 391} {
		if !strings.Contains(text, fmt.Sprintf("<%d>", want)) {
			t.Errorf("turn %d is not shown", want)
		}
	}
	if strings.Contains(text, "<93>") || strings.Contains(text, "<50>") {
		t.Error("turns from long before are shown")
	}
	small := window(c.Turns[:8], 4, 100000)
	if strings.Count(small, "known already") != 4 || strings.Count(small, "\n[") != 7 {
		t.Errorf("%.300s", small)
	}
	if window(nil, 0, 100) != "" {
		t.Error("a window into nothing")
	}
}

func TestSummarize(t *testing.T) {
	e, n := server(t, says(200, reply("Tokens are signed with RS256.\n")), says(200, reply(strings.Repeat("x", 100))), says(500, ""))
	s := Summarizer{func() Endpoint { return e }}
	hits := []recall.Hit{{Snippet: "RS256"}}
	got, err := s.Summarize(t.Context(), "how", hits, 50)
	if err != nil || got.Text != "Tokens are signed with RS256." {
		t.Errorf("%q, %v", got.Text, err)
	}
	for range 2 {
		if _, err := s.Summarize(t.Context(), "how", hits, 50); err == nil {
			t.Error("no error")
		}
	}
	asked := n.Load()
	if got, err := s.Summarize(t.Context(), "how", nil, 50); err != nil || got.Text != "" || n.Load() != asked {
		t.Errorf("asked about nothing: %v", err)
	}
}

func FuzzAnswer(f *testing.F) {
	f.Add(reply(good))
	f.Add("data: {}\n\ndata: [DONE]")
	f.Fuzz(func(t *testing.T, raw string) {
		text, _, err := read([]byte(raw))
		if err != nil {
			return
		}
		found, _ := parse(text, talk().Turns)
		for _, c := range found {
			if c.Asked || len(c.Turns) == 0 || !c.Target.Valid() {
				t.Errorf("%+v", c)
			}
		}
	})
}
