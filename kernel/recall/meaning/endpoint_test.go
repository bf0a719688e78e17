package meaning

import (
	"context"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// asked is what a server was sent.
type asked struct {
	Model    string
	Input    []string
	Encoding string `json:"encoding_format"`
}

// server answers with what handle returns, and keeps what it was asked.
type server struct {
	*httptest.Server
	mu    sync.Mutex
	asked []asked
	keys  []string
}

func (s *server) texts() (all []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, a := range s.asked {
		all = append(all, a.Input...)
	}
	return all
}

func serve(t *testing.T, handle func(w http.ResponseWriter, a asked)) *server {
	t.Helper()
	s := &server{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var a asked
		if err := json.NewDecoder(r.Body).Decode(&a); err != nil || r.URL.Path != "/v1/embeddings" {
			t.Errorf("asked %s: %v", r.URL, err)
		}
		s.mu.Lock()
		s.asked, s.keys = append(s.asked, a), append(s.keys, r.Header.Get("Authorization"))
		s.mu.Unlock()
		handle(w, a)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *server) endpoint() Endpoint { return Endpoint{BaseURL: s.URL + "/v1", Model: "m", Key: "k"} }

// lengths answers each text with a vector of the shares of its first two letters, the last
// text first.
func lengths(w http.ResponseWriter, a asked) {
	var data []map[string]any
	for i := len(a.Input) - 1; i >= 0; i-- {
		v := []float64{float64(strings.Count(a.Input[i], "a")), float64(strings.Count(a.Input[i], "b")), 0}
		data = append(data, map[string]any{"index": i, "embedding": v})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
}

func TestEmbed(t *testing.T) {
	s := serve(t, lengths)
	got, err := s.endpoint().embed(context.Background(), "doc: ", []string{"aaa", "bbbb", strings.Repeat("äab", 1000)})
	if err != nil {
		t.Fatal(err)
	}
	half := math.Sqrt(0.5)
	for i, want := range [][]float64{{1, 0, 0}, {0, 1, 0}, {half, half, 0}} {
		for k := range want {
			if math.Abs(float64(got[i][k])-want[k]) > 1e-6 {
				t.Errorf("vector %d is %v, want %v", i, got[i], want)
			}
		}
	}
	sent := s.asked[0]
	if sent.Model != "m" || sent.Encoding != "float" || s.keys[0] != "Bearer k" || sent.Input[0] != "doc: aaa" {
		t.Errorf("sent %+v with %q", sent, s.keys)
	}
	if n := len([]rune(sent.Input[2])); n != maxText+len("doc: ") {
		t.Errorf("sent %d characters of a long text", n)
	}
}

// A server that takes two texts of 300 bytes gets no more, and one that it never takes has
// no vector.
func TestEmbedTooMuch(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, a asked) {
		switch {
		case len(a.Input) > 2:
			w.WriteHeader(http.StatusUnprocessableEntity)
		case len(strings.Join(a.Input, "")) > 600:
			w.WriteHeader(http.StatusBadRequest)
		case len(strings.Join(a.Input, "")) > 300 || strings.Contains(a.Input[0], "no"):
			w.WriteHeader(http.StatusRequestEntityTooLarge)
		default:
			lengths(w, a)
		}
	})
	got, err := s.endpoint().embed(context.Background(), "", []string{"a", "b", "no", strings.Repeat("ab", 400), "b"})
	if err != nil || len(got) != 5 {
		t.Fatal(got, err)
	}
	if got[0][0] != 1 || got[1][1] != 1 || got[2] != nil || got[3] == nil || got[4][1] != 1 {
		t.Errorf("got %v", got)
	}
}

func TestEmbedFaults(t *testing.T) {
	answer := func(status int, body string) func(http.ResponseWriter, asked) {
		return func(w http.ResponseWriter, _ asked) {
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	tests := []struct {
		name   string
		handle func(http.ResponseWriter, asked)
		want   memory.Kind
	}{
		{"busy", answer(429, ""), memory.KindUnavailable},
		{"loading", answer(503, ""), memory.KindUnavailable},
		{"no key", answer(401, ""), memory.KindDenied},
		{"elsewhere", answer(307, ""), memory.KindDenied},
		{"no such model", answer(400, ""), memory.KindDenied},
		{"no JSON", answer(200, "<html>"), memory.KindInvalid},
		{"NaN", answer(200, `{"data":[{"index":0,"embedding":[NaN]},{"index":1,"embedding":[1]}]}`), memory.KindInvalid},
		{"too large", answer(200, `{"data":[{"index":0,"embedding":[1e39]},{"index":1,"embedding":[1]}]}`), memory.KindInvalid},
		{"zero", answer(200, `{"data":[{"index":0,"embedding":[0,0]},{"index":1,"embedding":[1,0]}]}`), memory.KindInvalid},
		{"one of two", answer(200, `{"data":[{"index":0,"embedding":[1]}]}`), memory.KindInvalid},
		{"twice the same", answer(200, `{"data":[{"index":1,"embedding":[1]},{"index":1,"embedding":[1]}]}`), memory.KindInvalid},
		{"no such text", answer(200, `{"data":[{"index":0,"embedding":[1]},{"index":-1,"embedding":[1]}]}`), memory.KindInvalid},
		{"two lengths", answer(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1,2]}]}`), memory.KindInvalid},
		{"cut off", func(w http.ResponseWriter, _ asked) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, `{"data":[`)
		}, memory.KindUnavailable},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := serve(t, tt.handle)
			got, err := s.endpoint().embed(context.Background(), "", []string{"secret text", "b"})
			if got != nil || memory.KindOf(err) != tt.want {
				t.Fatalf("got %v, %v", got, err)
			}
			if text := err.Error(); strings.Contains(text, "secret") || strings.Contains(text, s.URL) {
				t.Errorf("the error says %q", text)
			}
			if n := len(s.texts()); n != 2 && tt.name != "no such model" { // it may be that one is too long
				t.Errorf("sent %d texts", n)
			}
		})
	}
}
