package recall

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestRemnantsInKeys: the key of an entry whose text was changed may name what it
// no longer says.
func TestRemnantsInKeys(t *testing.T) {
	e := New(Options{})
	t.Cleanup(func() { e.Close() })
	id := memory.ScopeID{Scope: memory.ScopeProject, Owner: "/p"}
	first := &memory.Entry{ID: "1", Key: "cache-uses-redis", Content: "it is a cache", Revision: 1}
	e.Opened(id, []*memory.Entry{first})
	find := func() int {
		res, err := e.Search(t.Context(), Query{Text: "redis", Scopes: []memory.ScopeID{id}})
		if err != nil {
			t.Fatal(err)
		}
		return len(res.Hits)
	}
	if find() != 1 {
		t.Error("the key's words are not found")
	}
	next := first.Clone()
	next.Content, next.Revision = "the cache uses memcached", 2
	e.Changed(id, []memory.Step{{Action: memory.ActionReplace, Before: first, After: next}})
	if find() != 0 {
		t.Error("remnants in the key are found")
	}
}
