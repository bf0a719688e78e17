package recall

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

var (
	projectA = memory.ScopeID{Scope: memory.ScopeProject, Owner: "/a", UID: 1}
	projectB = memory.ScopeID{Scope: memory.ScopeProject, Owner: "/b", UID: 1}
	global   = memory.ScopeID{Scope: memory.ScopeGlobal, Owner: "1", UID: 1}
	profile  = memory.ScopeID{Scope: memory.ScopeUser, Owner: "1", UID: 1}

	epoch = time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
)

// newEngine returns an engine that indexes in searches alone, so that a test
// decides when.
func newEngine(t testing.TB) *Engine {
	t.Helper()
	e := New(Options{Now: func() time.Time { return epoch }})
	t.Cleanup(func() {
		if err := e.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return e
}

// entry returns an entry of an id and a content, changed n minutes before epoch.
func entry(id, content string, minutes int) *memory.Entry {
	at := epoch.Add(-time.Duration(minutes) * time.Minute)
	return &memory.Entry{
		ID: id, Key: memory.DeriveKey(content), Content: content,
		Importance: memory.DefaultImportance, Created: at, Updated: at, Revision: 1,
	}
}

// entries returns entries named 0, 1, ... in order of age, the newest first.
func entries(contents ...string) []*memory.Entry {
	var out []*memory.Entry
	for i, c := range contents {
		out = append(out, entry(fmt.Sprint(i), c, i))
	}
	return out
}

func add(e *memory.Entry) []memory.Step {
	return []memory.Step{{Action: memory.ActionAdd, After: e}}
}

// testingTB is what the helpers need of a test.
type testingTB interface {
	Helper()
	Fatalf(string, ...any)
}

// ids searches project A and returns the ids of the hits, in order.
func ids(t testingTB, e *Engine, text string) []string {
	t.Helper()
	return idsOf(t, e, Query{Text: text, Scopes: []memory.ScopeID{projectA}})
}

func idsOf(t testingTB, e *Engine, q Query) []string {
	t.Helper()
	r, err := e.Search(context.Background(), q)
	if err != nil {
		t.Fatalf("search %q: %v", q.Text, err)
	}
	out := []string{}
	for _, h := range r.Hits {
		out = append(out, h.ID)
	}
	return out
}
