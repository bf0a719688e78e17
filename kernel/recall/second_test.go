package recall

import (
	"context"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
)

// synonyms are words of one meaning to the model of these tests.
var synonyms = map[string]string{"puppy": "dog", "hound": "dog", "ship": "deploy", "release": "deploy", "cat": "kitten"}

// model makes vectors of the words of texts: near is what shares words, or their synonyms.
type wordModel struct {
	*httptest.Server
	mu   sync.Mutex
	sent []string
	hold chan struct{} // not nil: questions wait for it
}

func newWordModel(t *testing.T) *wordModel {
	t.Helper()
	m := &wordModel{}
	m.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Input []string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		m.mu.Lock()
		m.sent = append(m.sent, asked.Input...)
		hold := m.hold
		m.mu.Unlock()
		if hold != nil && strings.HasPrefix(asked.Input[0], "q: ") {
			<-hold
		}
		var data []map[string]any
		for i, text := range asked.Input {
			v := make([]float64, 256)
			for _, word := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return r < 'a' || r > 'z' }) {
				if s := synonyms[word]; s != "" {
					word = s
				}
				h := fnv.New32()
				_, _ = h.Write([]byte(word))
				v[h.Sum32()%256]++
			}
			data = append(data, map[string]any{"index": i, "embedding": v})
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"data": data})
	}))
	t.Cleanup(m.Close)
	return m
}

func (m *wordModel) texts() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.sent)
}

func (m *wordModel) look(t *testing.T) *meaning.Look {
	t.Helper()
	l := meaning.New(meaning.Options{Patience: 10 * time.Second, Endpoint: func() meaning.Endpoint {
		return meaning.Endpoint{BaseURL: m.URL, Model: "words", QueryPrefix: "q: "}
	}})
	t.Cleanup(l.Close)
	return l
}

// seeing searches until the second look is taken.
func seeing(t *testing.T, e *Engine, l *meaning.Look, q Query) []Hit {
	t.Helper()
	for range 500 {
		found, err := e.Search(context.Background(), q)
		must(t, err)
		if n, total, _ := l.State(); found.Meaning == meaning.Used && n == total {
			found, err = e.Search(context.Background(), q)
			must(t, err)
			return found.Hits
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Fatal("no second look is taken")
	return nil
}

func idsIn(hits []Hit) (out []string) {
	for _, h := range hits {
		out = append(out, h.ID)
	}
	return out
}

// An entry that says it in other words is found, until it is removed, replaced or expired,
// and only in the scopes that are searched.
func TestEntryByMeaning(t *testing.T) {
	m := newWordModel(t)
	l, dir := m.look(t), t.TempDir()
	now := time.Now()
	e := New(Options{Look: l, Now: func() time.Time { return now }, Vectors: func(id memory.ScopeID) string {
		return filepath.Join(dir, string(id.Scope)+strings.ReplaceAll(id.Owner, "/", "-"))
	}})
	defer e.Close()
	dog := entry("dog", "a puppy lives here", 1)
	e.Opened(projectA, []*memory.Entry{dog, entry("port", "the port of the hall is 80", 2), entry("when", "the gate is open on Monday", 3)})
	e.Opened(projectB, []*memory.Entry{entry("other", "a kitten lives there", 1)})
	q := Query{Text: "dog in the hall", Scopes: []memory.ScopeID{projectA}, Explain: true}
	hits := seeing(t, e, l, q)
	if got := idsIn(hits); !slices.Contains(got, "dog") || slices.Contains(got, "other") || hits[0].ID != "port" {
		t.Errorf("found %v", got)
	}
	if i := slices.Index(idsIn(hits), "dog"); hits[i].Explanation.Meaning <= 0 || hits[i].Snippet != dog.Content || hits[i].Score > hits[0].Score {
		t.Errorf("found %+v", hits[i])
	}
	if got, err := e.Search(context.Background(), Query{Text: q.Text, Scopes: q.Scopes, ByWords: true}); err != nil || got.Meaning != "" {
		t.Errorf("a search by words took a second look: %q, %v", got.Meaning, err)
	}
	if got, err := e.Search(context.Background(), Query{Text: "hound", Scopes: q.Scopes}); err != nil || len(got.Hits) > 0 || got.Meaning != "" {
		t.Errorf("%q: found %v for a word that nobody used", got.Meaning, idsIn(got.Hits)) // words decide
	}
	e.Changed(projectA, []memory.Step{{Before: dog, After: entry("dog", "a bird lives here", 4)}})
	if got := idsIn(seeing(t, e, l, q)); slices.Contains(got, "dog") && slices.Index(got, "dog") < 2 {
		t.Errorf("what was replaced is found: %v", got)
	}
	e.Changed(projectA, []memory.Step{{Before: entry("dog", "a bird lives here", 4)}})
	if got := idsIn(seeing(t, e, l, q)); slices.Contains(got, "dog") {
		t.Errorf("what was removed is found: %v", got)
	}
	for _, text := range m.texts() {
		if strings.Contains(text, "kitten") {
			t.Error("a scope was sent that nobody searched")
		}
	}
}

// A turn that says it in other words is found; it is not when its conversation is removed,
// also by who opens the index anew. What a tool says is not sent.
func TestTurnByMeaning(t *testing.T) {
	m := newWordModel(t)
	l, dir := m.look(t), t.TempDir()
	say := func(role process.Role, text string) process.Turn { return process.Turn{Role: role, Content: text} }
	s := turnStore{
		"a": {say(process.RoleUser, "we ship on Mondays"), say(process.RoleTool, "release of tools"), say(process.RoleUser, "one"), say(process.RoleUser, "two"), say(process.RoleUser, "three")},
		"b": {say(process.RoleAssistant, "lunch is at noon")},
	}
	open := func() *Conversations {
		c, err := OpenConversations(filepath.Join(dir, "index"), s, ConversationOptions{Vectors: filepath.Join(dir, "meaning")})
		must(t, err)
		t.Cleanup(func() { _ = c.Close() })
		return c
	}
	c := open()
	feed(t, c, s)
	e := New(Options{Look: l})
	defer e.Close()
	q := Query{Text: "do we deploy at noon when it rains", Conversations: []*Conversations{c}}
	if got := idsIn(seeing(t, e, l, q)); !slices.Contains(got, "a") {
		t.Errorf("found %v", got)
	}
	before := len(m.texts())
	must(t, c.Close()) // nothing was flushed: the turns are added again, with other numbers
	c = open()
	delete(s, "b")
	s["c"] = []process.Turn{say(process.RoleUser, "when it rains")}
	feed(t, c, s)
	q.Conversations = []*Conversations{c}
	if hits := seeing(t, e, l, q); !slices.Contains(idsIn(hits), "a") || slices.Contains(idsIn(hits), "b") {
		t.Errorf("found %v", idsIn(hits))
	}
	if fresh := m.texts()[before:]; !slices.Equal(fresh, []string{"when it rains"}) {
		t.Errorf("sent again: %q", fresh)
	}
	must(t, c.Remove("a"))
	if got := idsIn(seeing(t, e, l, q)); slices.Contains(got, "a") {
		t.Errorf("what was removed is found: %v", got)
	}
	if slices.ContainsFunc(m.texts(), func(text string) bool { return strings.Contains(text, "tools") }) {
		t.Error("the output of a tool was sent")
	}
}

// A model that does not answer in time costs the second look alone.
func TestLateModel(t *testing.T) {
	m := newWordModel(t)
	m.hold = make(chan struct{})
	defer close(m.hold)
	l := meaning.New(meaning.Options{Patience: time.Millisecond, Endpoint: func() meaning.Endpoint {
		return meaning.Endpoint{BaseURL: m.URL, QueryPrefix: "q: "}
	}})
	t.Cleanup(func() { go l.Close() })
	e, plain := New(Options{Look: l}), New(Options{})
	defer e.Close()
	defer plain.Close()
	q := Query{Text: "the port", Scopes: []memory.ScopeID{projectA}, Fold: true, Max: 3} // in several rounds
	list := []*memory.Entry{entry("b", "the host is a port", 2)}
	for i := range 300 {
		list = append(list, entry(fmt.Sprint(i), "the port is 80", 1))
	}
	for _, x := range []*Engine{e, plain} {
		x.Opened(projectA, list)
	}
	found, err := e.Search(context.Background(), q)
	must(t, err)
	want, err := plain.Search(context.Background(), q)
	must(t, err)
	if found.Meaning != meaning.Late || want.Meaning != "" || !slices.Equal(idsIn(found.Hits), idsIn(want.Hits)) {
		t.Errorf("%s: found %v, want %v", found.Meaning, idsIn(found.Hits), idsIn(want.Hits))
	}
}

// The first result by words stays the first if it has the rare words of the question; the
// nearest is among the first ten, unless the question means its very words.
func TestFuse(t *testing.T) {
	hit := func(id string, score float64, near float32) candidateHit {
		return candidateHit{hit: Hit{ID: id, Score: score}, near: near}
	}
	list := func() (found []candidateHit) {
		for i := range 12 {
			found = append(found, hit(string(rune('a'+i)), 0.5-float64(i)/1000, 0))
		}
		return found
	}
	near := func() []candidateHit { return []candidateHit{hit("z", 0, 0.9), hit("b", 0, 0.8), hit("q", 0, 0.1)} }
	order := func(found []candidateHit) (out string) {
		last := 1.0
		for _, c := range found {
			out += c.hit.ID
			if c.hit.Score > last {
				t.Errorf("%s has a higher score than the one before", c.hit.ID)
			}
			last = c.hit.Score
		}
		return out
	}
	if got := order(fuse(list(), near(), false)); got != "bacdefghizjklq" {
		t.Errorf("fused %s", got)
	}
	sure := list()
	sure[0].exact = true
	if got := order(fuse(sure, near(), false)); got != "abcdefghizjklq" {
		t.Errorf("fused %s behind a sure one", got)
	}
	if got := order(fuse(list(), near(), true)); got != "bacdefghijklzq" {
		t.Errorf("fused %s for the very words", got)
	}
	for text, want := range map[string]bool{
		"where is the port": false, "what is \"kiln\"": true, "who calls get_user": true, "who calls getUserName": true, "the well-known port": false, "why kernel/recall.go": true,
	} {
		if asked := analyze(text); asked.exact() != want {
			t.Errorf("%q: exact is %v", text, !want)
		}
	}
}
