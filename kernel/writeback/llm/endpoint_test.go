package llm

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const key = "a-key-that-nobody-may-see"

const (
	openAI    = `{"choices":[{"message":{"role":"assistant","content":"the words"},"finish_reason":"stop"}],"usage":{"total_tokens":321}}`
	anthropic = `{"type":"message","content":[{"type":"thinking","thinking":"hm"},{"type":"text","text":"the words"}],"stop_reason":"end_turn","usage":{"input_tokens":300,"output_tokens":21}}`
)

// server answers questions one after the other; the last answer again and again. What
// it was asked is a line each: the path, and the sorted names of what may be refused.
func server(t *testing.T, answers ...http.HandlerFunc) (Endpoint, func() []string) {
	t.Helper()
	var mu sync.Mutex
	var asked []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var body map[string]any
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || body["stream"] != false || !strings.Contains(r.Header.Get("Authorization")+r.Header.Get("X-Api-Key"), key) {
			t.Errorf("asked %v: %v", body, err)
		}
		line := r.URL.Path
		for _, name := range []string{"max_completion_tokens", "max_tokens", "response_format", "temperature"} {
			if body[name] != nil {
				line += " " + name
			}
		}
		mu.Lock()
		asked = append(asked, line)
		answer := answers[min(len(asked), len(answers))-1]
		mu.Unlock()
		answer(w, r)
	}))
	t.Cleanup(s.Close)
	return Endpoint{BaseURL: s.URL + "/v1/", Model: "m", Key: key, Timeout: 20 * time.Second}, func() []string {
		mu.Lock()
		defer mu.Unlock()
		return asked
	}
}

func says(status int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// TestEndpoint asks again without what a server refuses, each once, and in the protocol
// that the server speaks.
func TestEndpoint(t *testing.T) {
	const chat, messages = "/v1/chat/completions", "/v1/messages"
	for name, tc := range map[string]struct {
		api     string
		answers []http.HandlerFunc
		want    []string
	}{
		"plain":           {"", []http.HandlerFunc{says(200, openAI)}, []string{chat + " max_tokens response_format temperature"}},
		"Anthropic":       {Anthropic, []http.HandlerFunc{says(200, anthropic)}, []string{messages + " max_tokens"}},
		"Anthropic found": {"", []http.HandlerFunc{says(404, "no such page"), says(200, anthropic)}, []string{chat + " max_tokens response_format temperature", messages + " max_tokens"}},
		"a reasoning model": {"", []http.HandlerFunc{
			says(400, `{"error":{"message":"Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead."}}`),
			says(400, `{"error":{"message":"Unsupported value: 'temperature' does not support 0"}}`),
			says(200, openAI),
		}, []string{chat + " max_tokens response_format temperature", chat + " max_completion_tokens response_format temperature", chat + " max_completion_tokens response_format"}},
		"no formats":          {OpenAI, []http.HandlerFunc{says(422, `response_format is not known`), says(200, openAI)}, []string{chat + " max_tokens response_format temperature", chat + " max_tokens temperature"}},
		"it does not say why": {"", []http.HandlerFunc{says(400, ""), says(400, ""), says(400, ""), says(200, openAI)}, []string{chat + " max_tokens response_format temperature", chat + " max_tokens temperature", chat + " max_tokens", chat + " max_completion_tokens"}},
	} {
		e, asked := server(t, tc.answers...)
		e.API = tc.api
		text, err := e.Ask(t.Context(), "a prompt")
		if diff := cmp.Diff(tc.want, asked()); diff != "" || err != nil || text != "the words" {
			t.Errorf("%s: %q, %v\n%s", name, text, err, diff)
		}
	}
}

func TestEndpointFails(t *testing.T) {
	ended := make(chan struct{})
	defer close(ended)
	for name, tc := range map[string]struct {
		answer http.HandlerFunc
		kind   memory.Kind
		asked  int
	}{
		"no key":             {says(401, key), memory.KindDenied, 1},
		"no rights":          {says(403, key), memory.KindDenied, 1},
		"no model":           {says(404, "model m not found"), memory.KindDenied, 2},
		"too many":           {says(429, ""), memory.KindUnavailable, 1},
		"broken":             {says(500, ""), memory.KindUnavailable, 1},
		"overloaded":         {says(529, "overloaded"), memory.KindUnavailable, 1},
		"refuses everything": {says(400, ""), memory.KindInvalid, 4},
		"too long":           {says(413, ""), memory.KindInvalid, 1},
		"redirects":          {says(307, "", "Location", "/elsewhere"), memory.KindDenied, 1},
		"not JSON":           {says(200, "<html>"), memory.KindInvalid, 1},
		"no choices":         {says(200, "{}"), memory.KindInvalid, 1},
		"empty":              {says(200, strings.Replace(openAI, "the words", " ", 1)), memory.KindInvalid, 1},
		"cut off":            {says(200, strings.Replace(openAI, `"stop"`, `"length"`, 1)), memory.KindInvalid, 1},
		"cut off too":        {says(200, strings.Replace(anthropic, "end_turn", "max_tokens", 1)), memory.KindInvalid, 1},
		"a stream":           {says(200, "data: {\"choices\":[{\"delta\":{\"content\":\"{}\"}}]}\n\n"), memory.KindInvalid, 1},
		"huge":               {says(200, strings.Repeat("x", 2<<20)), memory.KindInvalid, 1},
		"half":               {says(200, openAI[:50], "Content-Length", "1000"), memory.KindUnavailable, 1},
		"slow": {func(_ http.ResponseWriter, r *http.Request) {
			select {
			case <-r.Context().Done():
			case <-ended:
			}
		}, memory.KindTimeout, 1},
	} {
		e, asked := server(t, tc.answer)
		if name == "slow" {
			e.Timeout = 300 * time.Millisecond
		}
		e.Budget = &Budget{File: filepath.Join(t.TempDir(), "llm.json"), Max: 1e6}
		text, err := e.Ask(t.Context(), "the prompt")
		if err == nil || text != "" || memory.KindOf(err) != tc.kind || len(asked()) != tc.asked {
			t.Errorf("%s: %v (%v) after %d questions", name, err, memory.KindOf(err), len(asked()))
		}
		if said := fmt.Sprint(err); strings.Contains(said, key) || strings.Contains(said, "prompt") || strings.Contains(said, "127.0.0.1") {
			t.Errorf("%s: the error says too much: %v", name, err)
		}
		if spent := e.Budget.Spent(); (tc.kind == memory.KindDenied || tc.kind == memory.KindUnavailable) != (spent == 0) {
			t.Errorf("%s: %d tokens were spent", name, spent)
		}
	}
}

func TestEndpointUnreachable(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l.Close() // nobody listens there now
	for base, kind := range map[string]memory.Kind{
		"http://user:" + key + "@" + l.Addr().String(): memory.KindUnavailable,
		"http://\x7f" + key:                            memory.KindInvalid, "localhost": memory.KindInvalid, "": memory.KindUnavailable,
	} {
		if _, err := (Endpoint{BaseURL: base}).Ask(t.Context(), "x"); memory.KindOf(err) != kind || strings.Contains(err.Error(), key) {
			t.Errorf("%q: %v", base, err)
		}
	}
}

// TestRetryAfter leaves a server alone as long as it wants, in every program.
func TestRetryAfter(t *testing.T) {
	now := time.Now()
	for value, want := range map[string]time.Duration{
		"7": 7 * time.Second, now.Add(time.Hour).UTC().Format(http.TimeFormat): time.Hour, "99999999": maxPause, "": 0, "-5": 0, "soon": 0,
		now.Add(-time.Hour).UTC().Format(http.TimeFormat): 0,
	} {
		if got := retryAfter(value); got > want || want-got > 10*time.Second {
			t.Errorf("%q: %s", value, got)
		}
	}
	e, asked := server(t, says(503, "", "Retry-After", "60"), says(200, openAI))
	e.Budget = &Budget{File: filepath.Join(t.TempDir(), "llm.json"), Max: 1e6, Now: func() time.Time { return now }}
	for range 3 {
		if _, err := e.Ask(t.Context(), "x"); memory.KindOf(err) != memory.KindUnavailable {
			t.Error(err)
		}
	}
	if n := len(asked()); n != 1 {
		t.Errorf("asked %d times", n)
	}
	now = now.Add(61 * time.Second)
	if text, err := e.Ask(t.Context(), "x"); err != nil || text == "" || e.Budget.Spent() != 321 {
		t.Errorf("%q, %v, %d tokens", text, err, e.Budget.Spent())
	}
}

// Spent is what was spent today.
func (b *Budget) Spent() int {
	raw, _ := os.ReadFile(b.File)
	return b.today(raw).Tokens
}

func take(b *Budget, tokens int) error {
	_, err := b.spend(tokens, func() (string, int, error) { return "", 0, nil })
	return err
}

func TestBudget(t *testing.T) {
	now := time.Date(2027, 1, 1, 23, 0, 0, 0, time.UTC)
	b := &Budget{File: filepath.Join(t.TempDir(), "x", "llm.json"), Max: 6000, Now: func() time.Time { return now }}
	e, asks := server(t, says(200, openAI))
	e.Budget = b
	asked := 0
	for ; asked < 100; asked++ {
		if _, err := e.Ask(t.Context(), "x"); err != nil {
			if memory.KindOf(err) != memory.KindOverLimit {
				t.Fatal(err)
			}
			break
		}
	}
	if asked == 0 || asked == 100 || len(asks()) != asked || b.Spent() != asked*321 {
		t.Errorf("%d questions, %d of them asked, %d tokens", asked, len(asks()), b.Spent())
	}
	again := &Budget{File: b.File, Max: b.Max, Now: b.Now} // another program
	if err := take(again, b.Max-b.Spent()+1); memory.KindOf(err) != memory.KindOverLimit {
		t.Errorf("spent twice: %v", err)
	}
	now = now.Add(2 * time.Hour)
	if err := take(again, 100); err != nil || again.Spent() != 100 {
		t.Errorf("a new day: %v, %d", err, again.Spent())
	}
}
