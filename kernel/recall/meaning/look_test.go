package meaning

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// list is a source of texts.
type list struct {
	index  Index
	texts  []string
	around string // all of them
}

func (l *list) Vectors() *Index { return &l.index }

func (l *list) seen() Texts {
	return Texts{N: len(l.texts), Key: func(i int) uint64 { return uint64(i + 1) }, Live: func(int) bool { return true }}
}

func (l *list) Missing(_ context.Context, most int) (Missing, error) {
	m := l.index.Missing(l.seen(), most)
	for _, i := range m.Numbers {
		m.Texts = append(m.Texts, Text{Key: uint64(i + 1), Text: l.texts[i], Around: l.around})
	}
	return m, nil
}

func look(t *testing.T, opts Options) *Look {
	t.Helper()
	l := New(opts)
	t.Cleanup(func() { l.Close(); http.DefaultClient.CloseIdleConnections(); direct.CloseIdleConnections() })
	return l
}

func eventually(t *testing.T, what string, is func() bool) {
	t.Helper()
	for range 1000 {
		if is() {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal(what)
}

func numbered(n int) *list {
	l := &list{}
	for i := range n {
		l.texts = append(l.texts, strings.Repeat("a", i+1)+"b")
	}
	return l
}

// All texts get their vectors, what is there already is not sent again, and what is sent
// is masked.
func TestTextsGetVectors(t *testing.T) {
	s := serve(t, lengths)
	by := s.endpoint()
	by.DocumentPrefix, by.QueryPrefix = "d:", "q:"
	opts := Options{Endpoint: func() Endpoint { return by }, Patience: time.Minute, Redact: func(_ context.Context, text string) (string, bool, error) {
		return strings.ReplaceAll(text, "hunter2", "***"), true, nil
	}}
	path := filepath.Join(t.TempDir(), "v")
	src := numbered(40)
	src.texts[3] = "a hunter2"
	src.index.Path = path
	l := look(t, opts)
	l.Want(src)
	eventually(t, "not all were embedded", func() bool { n, total, code := l.State(); return n == 40 && total == 40 && code == "" })
	question, state := l.Ask("ab hunter2")(context.Background())
	if near, err := src.index.Nearest(question, src.seen(), 1); err != nil || state != Used || len(near) != 1 || near[0].Text != 0 {
		t.Errorf("near %v, %s, %v", near, state, err)
	}
	l.Close()
	src.index.Close()
	sent := s.texts()
	if all := strings.Join(sent, "\n"); len(sent) != 41 || strings.Contains(all, "hunter2") || strings.Count(all, "d:") != 40 || sent[40] != "q:ab ***" {
		t.Errorf("sent %q", sent)
	}
	again := numbered(42)
	again.index.Path = path
	l = look(t, opts)
	l.Want(again)
	eventually(t, "the new ones were not embedded", func() bool { n, _, _ := l.State(); return n == 42 })
	if n := len(s.texts()); n != 43 {
		t.Errorf("sent %d texts, 43 are needed", n)
	}
	again.index.Close()
}

// Nothing is sent while there is no endpoint; a text that can't be masked is not sent.
func TestNothingIsSent(t *testing.T) {
	s := serve(t, lengths)
	off := look(t, Options{Endpoint: func() Endpoint { return Endpoint{} }})
	src := numbered(3)
	src.index.Path = filepath.Join(t.TempDir(), "v")
	defer src.index.Close()
	off.Want(src)
	eventually(t, "it is wanted for ever", func() bool { return off.next() == nil })
	if off.On() || (*Look)(nil).On() {
		t.Error("it is on")
	}
	if _, state := off.Ask("what?")(context.Background()); state != Away { // it was on a moment ago
		t.Errorf("the question is %s", state)
	}
	blind := look(t, Options{Endpoint: s.endpoint, Redact: func(context.Context, string) (string, bool, error) {
		return "", false, errors.New("the rules do not load")
	}})
	blind.Want(src)
	_, state := blind.Ask("what?")(context.Background())
	eventually(t, "no failure", func() bool { _, _, code := blind.State(); return code == "internal" })
	if state != Away || len(s.texts()) > 0 {
		t.Errorf("%s, sent %q", state, s.texts())
	}
}

// A question waits no longer than it may; the vector that comes late serves the next one.
func TestLateQuestion(t *testing.T) {
	hold := make(chan struct{})
	s := serve(t, func(w http.ResponseWriter, a asked) {
		<-hold
		lengths(w, a)
	})
	l := look(t, Options{Endpoint: s.endpoint, Patience: time.Millisecond})
	if v, state := l.Ask("ab")(context.Background()); v != nil || state != Late {
		t.Errorf("%v, %s", v, state)
	}
	close(hold)
	eventually(t, "it never comes", func() bool { _, state := l.Ask("ab")(context.Background()); return state == Used })
	if n := len(s.texts()); n != 1 {
		t.Errorf("asked %d times", n)
	}
}

// An endpoint that failed three times is left alone.
func TestAway(t *testing.T) {
	var status atomic.Int32
	status.Store(500)
	s := serve(t, func(w http.ResponseWriter, a asked) {
		if code := int(status.Load()); code != 200 {
			w.WriteHeader(code)
			return
		}
		lengths(w, a)
	})
	ask := func(l *Look) string { _, state := l.Ask("ab")(context.Background()); return state }
	by := s.endpoint()
	l := look(t, Options{Endpoint: func() Endpoint { return by }, Patience: time.Minute})
	for range 5 {
		if state := ask(l); state != Away {
			t.Errorf("it is %s", state)
		}
	}
	if _, _, code := l.State(); len(s.texts()) != maxFailures || code != "unavailable" {
		t.Errorf("asked %d times, code %q", len(s.texts()), code)
	}
	by.Model = "mended"
	if ask(l); len(s.texts()) != maxFailures+1 {
		t.Error("another endpoint is left alone for what the first did")
	}
	ask(l)
	ask(l)
	if n := len(s.texts()); n != 2*maxFailures {
		t.Errorf("asked %d times", n)
	}
	status.Store(200)
	l.mu.Lock()
	l.until = time.Now() // the pause is over
	l.mu.Unlock()
	if state := ask(l); state != Used {
		t.Errorf("it does not come back: %s", state)
	}
	if _, _, code := l.State(); code != "" {
		t.Errorf("code %q after it came back", code)
	}
}

// The middle of a secret is not sent, though nothing in it looks like one.
func TestPartOfASecret(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ asked) {
		_, _ = io.WriteString(w, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]},{"index":2,"embedding":[1]}]}`)
	})
	l := look(t, Options{Endpoint: s.endpoint, Redact: func(_ context.Context, text string) (string, bool, error) {
		clean := strings.ReplaceAll(text, "BEGIN aa bb cc END", "***")
		return clean, clean != text, nil
	}})
	src := numbered(0)
	src.around, src.texts = "ab BEGIN aa bb cc END", []string{"bb", "ab", "ab BEGIN aa bb cc END"}
	src.index.Path = filepath.Join(t.TempDir(), "v")
	defer src.index.Close()
	l.Want(src)
	eventually(t, "not sent", func() bool { return len(s.texts()) == 3 })
	if sent := s.texts(); !slices.Equal(sent, []string{"ab ***", "ab", "withheld"}) {
		t.Errorf("sent %q", sent)
	}
}

// An index that is closed while its texts are sent is no fault of the server.
func TestClosedMeanwhile(t *testing.T) {
	src := numbered(3)
	s := serve(t, func(w http.ResponseWriter, a asked) {
		src.index.Close()
		lengths(w, a)
	})
	src.index.Path = filepath.Join(t.TempDir(), "v")
	l := look(t, Options{Endpoint: s.endpoint})
	l.Want(src)
	eventually(t, "it is wanted for ever", func() bool { return l.next() == nil })
	if _, _, code := l.State(); code != "" || len(s.texts()) != 3 {
		t.Errorf("code %q, sent %q", code, s.texts())
	}
}

// A server that makes longer vectors than it did is another model: all are made anew.
func TestAnotherLength(t *testing.T) {
	var longer atomic.Bool
	s := serve(t, func(w http.ResponseWriter, a asked) {
		if longer.Load() {
			var data []string
			for i := range a.Input {
				data = append(data, fmt.Sprintf(`{"index":%d,"embedding":[1,2,3,4]}`, i))
			}
			_, _ = fmt.Fprintf(w, `{"data":[%s]}`, strings.Join(data, ","))
			return
		}
		lengths(w, a)
	})
	src := numbered(2)
	src.index.Path = filepath.Join(t.TempDir(), "v")
	defer src.index.Close()
	l := look(t, Options{Endpoint: s.endpoint})
	l.Want(src)
	embedded := func(n int) func() bool { return func() bool { is, _, _ := l.State(); return is == n } }
	eventually(t, "not embedded", embedded(2))
	longer.Store(true)
	src.texts = append(src.texts, "aaaab")
	l.Want(src)
	eventually(t, "not embedded anew", embedded(3))
	eventually(t, "they are not found", func() bool {
		near, err := src.index.Nearest(unit(1, 2, 3, 4), src.seen(), 9)
		return err == nil && len(near) == 3
	})
}
