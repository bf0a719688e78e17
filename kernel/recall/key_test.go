package recall

import (
	"slices"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestKeys: a key that somebody chose finds its entry whatever is changed; one that
// was derived from a text finds it until that text is replaced.
func TestKeys(t *testing.T) {
	for name, tc := range map[string]struct {
		key, content, query string
		change              memory.Entry
		set                 []string
		found               bool
	}{
		"chosen, other tags":  {"zorblat-framework", "it is a cache", "zorblat", memory.Entry{Tags: []string{"x"}}, []string{"tags"}, true},
		"chosen, other text":  {"zorblat-framework", "it is a cache", "zorblat", memory.Entry{Content: "it is none"}, []string{"content"}, true},
		"derived, other tags": {"", "cache uses redis", "redis", memory.Entry{Tags: []string{"x"}}, []string{"tags"}, true},
		"derived, other text": {"", "cache uses redis", "redis", memory.Entry{Content: "cache uses memcached"}, []string{"content"}, false},
		"chosen with a text":  {"", "cache uses redis", "redis", memory.Entry{Key: "redis-note", Content: "cache uses memcached"}, []string{"key", "content"}, true},
	} {
		t.Run(name, func(t *testing.T) {
			st := memory.NewState(nil, 0)
			apply := func(op memory.Op) []memory.Step {
				ch := memory.Change{Ops: []memory.Op{op}, At: time.Now(), Limit: memory.Limit{Runes: 1000}}
				steps, err := st.Plan(ch)
				if err != nil {
					t.Fatal(err)
				}
				st.Commit(ch, steps, st.Sequence()+1)
				return steps
			}
			e := newEngine(t)
			find := func() bool {
				return slices.Contains(idsOf(t, e, Query{Text: tc.query, Scopes: []memory.ScopeID{projectA}}), "1")
			}
			e.Changed(projectA, apply(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "1", Key: tc.key, Content: tc.content}}))
			if !find() {
				t.Error("not found before the change")
			}
			e.Changed(projectA, apply(memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: "1"}, Entry: tc.change, Set: tc.set}))
			if find() != tc.found {
				t.Errorf("after the change: found %v", !tc.found)
			}
			last := apply(memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: "1"}, Entry: memory.Entry{Importance: 1}, Set: []string{"importance"}})[0].After
			e.Opened(projectA, []*memory.Entry{last}) // as after a restart
			if find() != tc.found {
				t.Errorf("after a restart: found %v", !tc.found)
			}
		})
	}
}

// TestAbout: an entry is found by a word of its category or of the texts of its metadata,
// after one that has the word in its text; not by the time at which it was said.
func TestAbout(t *testing.T) {
	e := newEngine(t)
	st := memory.NewState(nil, 0)
	for id, entry := range map[string]memory.Entry{
		"1": {Content: "it is a cache", Category: "convention"},
		"2": {Content: "it is a queue", Metadata: map[string]any{"owner": map[string]any{"team": []any{"zorblat crew"}}, memory.SaidKey: "2026-11-22T10:00:00Z"}},
		"3": {Content: "a convention of the zorblat"},
	} {
		entry.ID = id
		ch := memory.Change{Ops: []memory.Op{{Action: memory.ActionAdd, Entry: entry}}, At: time.Now(), Limit: memory.Limit{Runes: 1000}}
		steps, err := st.Plan(ch)
		if err != nil {
			t.Fatal(err)
		}
		st.Commit(ch, steps, st.Sequence()+1)
		e.Changed(projectA, steps)
	}
	for query, want := range map[string][]string{"convention": {"3", "1"}, "zorblat": {"3", "2"}, "2026": nil} {
		if got := idsOf(t, e, Query{Text: query, Scopes: []memory.ScopeID{projectA}}); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", query, got, want)
		}
	}
}
