package recall

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// What lies in a scope that was not asked for is not found, and is found when it
// is asked for.
func TestScopesAreApart(t *testing.T) {
	e := newEngine(t)
	e.Opened(projectA, []*memory.Entry{entry("a", "the API speaks GraphQL", 1)})
	e.Opened(projectB, []*memory.Entry{entry("b", "the API speaks REST", 2)})
	e.Opened(global, []*memory.Entry{entry("g", "prefer an API with types", 3)})
	e.Opened(profile, []*memory.Entry{entry("p", "the user likes an API", 0)})
	tests := []struct {
		text   string
		scopes []memory.ScopeID
		want   []string
	}{
		{"GraphQL", []memory.ScopeID{projectA}, []string{"a"}},
		{"GraphQL", []memory.ScopeID{projectB}, []string{}},
		{"REST", []memory.ScopeID{projectA, global}, []string{}},
		{"REST", []memory.ScopeID{projectB, global}, []string{"b"}},
		{"api", []memory.ScopeID{projectA, projectB, global}, []string{"a", "b", "g"}},
		{"api", []memory.ScopeID{global, projectA, projectA}, []string{"a", "g"}},
		{"api", []memory.ScopeID{profile}, []string{}}, // never by recall
		{"api", nil, []string{}},
		{"api", []memory.ScopeID{{Scope: memory.ScopeProject, Owner: "/a", UID: 2}}, []string{}},
	}
	for _, tt := range tests {
		t.Run(fmt.Sprint(tt.text, tt.scopes), func(t *testing.T) {
			got := idsOf(t, e, Query{Text: tt.text, Scopes: tt.scopes})
			slices.Sort(got)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
		})
	}
}

// A profile is no hit: agents get it whole.
func TestProfileIsNoHit(t *testing.T) {
	e := newEngine(t)
	e.Opened(profile, entries("likes tea"))
	if got := idsOf(t, e, Query{Text: "tea", Scopes: []memory.ScopeID{profile}}); len(got) != 0 {
		t.Errorf("found %v", got)
	}
}

// A word is as rare as it is in all scopes searched together: the one document
// of a small scope does not win by a word that is everywhere in the large one.
func TestFrequenciesAreShared(t *testing.T) {
	e := newEngine(t)
	var many []*memory.Entry
	for i := range 50 {
		many = append(many, entry(fmt.Sprint(i), "server number something", i+1))
	}
	many = append(many, entry("rare", "zeppelin number something", 99))
	e.Opened(projectA, many)
	e.Opened(global, []*memory.Entry{entry("g", "server number something", 0)})
	both := []memory.ScopeID{projectA, global}
	got := idsOf(t, e, Query{Text: "server zeppelin", Scopes: both, Max: 2})
	if diff := cmp.Diff([]string{"rare", "g"}, got); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
	r, err := e.Search(context.Background(), Query{Text: "server", Scopes: both, Explain: true})
	if err != nil {
		t.Fatal(err)
	}
	// 51 of the 52 documents have it.
	if got, want := r.Hits[0].Explanation.Terms[0].Weight, math.Log(1+(52-51+0.5)/(51+0.5)); math.Abs(got-want) > 1e-9 {
		t.Errorf("weight %v, want %v", got, want)
	}
	for _, h := range r.Hits {
		if x := h.Explanation.Terms[0]; x.Weight != r.Hits[0].Explanation.Terms[0].Weight || x.Score != r.Hits[0].Explanation.Terms[0].Score {
			t.Errorf("%v in %v is worth %v, in %v %v", x.Term, h.Scope, x, r.Hits[0].Scope, r.Hits[0].Explanation.Terms[0])
		}
	}
}

func TestClosed(t *testing.T) {
	e := newEngine(t)
	session := memory.ScopeID{Scope: memory.ScopeSession, Owner: "s"}
	e.Opened(session, entries("tea"))
	q := Query{Text: "tea", Scopes: []memory.ScopeID{session}}
	if got := idsOf(t, e, q); len(got) != 1 {
		t.Fatalf("before: %v", got)
	}
	for range 2 {
		e.Closed(session)
		if got := idsOf(t, e, q); len(got) != 0 {
			t.Errorf("after: %v", got)
		}
	}
}

func TestChanges(t *testing.T) {
	e := newEngine(t)
	expect := func(text string, want ...string) {
		t.Helper()
		if diff := cmp.Diff(append([]string{}, want...), ids(t, e, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", text, diff)
		}
	}
	e.Changed(projectA, add(entry("1", "redis caching", 9))) // no Opened before
	expect("redis caching", "1")

	before, after := entry("1", "redis caching", 9), entry("1", "memcached caching", 8)
	e.Changed(projectA, []memory.Step{{Action: memory.ActionReplace, Before: before, After: after}})
	expect("redis")
	expect("memcached caching", "1")

	e.Changed(projectA, []memory.Step{{Action: memory.ActionRemove, Before: after}})
	expect("memcached caching")
	expect("redis")

	// Several changes of one entry before a search: the last one counts.
	e.Changed(projectA, append(add(entry("2", "one", 5)), memory.Step{Before: entry("2", "one", 5)}))
	e.Changed(projectA, append(add(entry("3", "two", 5)), memory.Step{Before: entry("3", "two", 5), After: entry("3", "three", 4)}))
	expect("one two three", "3")
	expect("two")

	// What was opened anew has only what it has now.
	e.Changed(projectA, add(entry("4", "three", 3)))
	e.Opened(projectA, []*memory.Entry{entry("5", "three more", 2), entry("4", "three", 3)})
	e.Changed(projectA, add(entry("6", "three less", 1)))
	expect("three", "4", "6", "5")
	e.Opened(projectA, nil)
	expect("three")
}

// A change of what is not searched is seen in the hit, and costs no indexing.
func TestUnsearchedFields(t *testing.T) {
	e := newEngine(t)
	old := entry("1", "tea", 5)
	e.Opened(projectA, []*memory.Entry{old})
	ids(t, e, "tea")
	indexed := len(e.scopes[projectA].passages)

	next := entry("1", "tea", 4)
	next.Revision, next.Importance = 2, 1
	e.Changed(projectA, []memory.Step{{Before: old, After: next}})
	r, err := e.Search(context.Background(), Query{Text: "tea", Scopes: []memory.ScopeID{projectA}})
	if err != nil {
		t.Fatal(err)
	}
	if h := r.Hits[0]; h.Entry != next || !h.Timestamp.Equal(next.Updated) {
		t.Errorf("hit has %+v", h.Entry)
	}
	if len(e.scopes[projectA].passages) != indexed {
		t.Error("the index was written")
	}
}

func TestExpired(t *testing.T) {
	now := epoch
	e := New(Options{Now: func() time.Time { return now }})
	defer func() { _ = e.Close() }()
	short := entry("short", "tea", 1)
	expires := epoch.Add(time.Minute)
	short.Expires = &expires
	e.Opened(projectA, []*memory.Entry{short, entry("long", "tea", 2)})
	if diff := cmp.Diff([]string{"short", "long"}, ids(t, e, "tea")); diff != "" {
		t.Errorf("before: %s", diff)
	}
	now = expires
	if diff := cmp.Diff([]string{"long"}, ids(t, e, "tea")); diff != "" {
		t.Errorf("after: %s", diff)
	}
}

// TestArchivedCountsHalf: what has ended by a row with then: archive is found, behind
// what has not, swept or not.
func TestArchivedCountsHalf(t *testing.T) {
	const day = 24 * time.Hour
	now := epoch
	rows := memory.Categories{"decision": {Lifetime: 30 * day, Then: memory.ThenArchive}, "state": {Lifetime: 30 * day}}
	e := New(Options{
		Now:       func() time.Time { return now },
		Lifetimes: func(memory.ScopeID) memory.Lifetimes { return memory.Lifetimes{Categories: rows} },
	})
	defer func() { _ = e.Close() }()
	choice, health, swept, note := entry("choice", "green tea", 0), entry("health", "green tea", 0), entry("swept", "green tea", 0), entry("note", "tea", 0)
	choice.Category, health.Category, swept.Archived = "decision", "state", true
	e.Opened(projectA, []*memory.Entry{choice, health, swept, note})
	found := func() (s string) {
		r, err := e.Search(context.Background(), Query{Text: "green tea", Scopes: []memory.ScopeID{projectA}})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range r.Hits {
			s += fmt.Sprintf("%s %v %.2f, ", h.ID, h.Archived, h.Score/r.Hits[0].Score)
		}
		return s
	}
	if got := found(); !strings.HasPrefix(got, "choice false 1.00, health false 1.00, ") || !strings.Contains(got, "swept true 0.50, ") {
		t.Error(got)
	}
	now = epoch.Add(31 * day)
	if got := found(); !strings.HasPrefix(got, "choice true 1.00, swept true 1.00, note false ") || strings.Contains(got, "health") {
		t.Error(got)
	}
}

func TestMax(t *testing.T) {
	e := newEngine(t)
	var list []*memory.Entry
	for i := range 130 {
		list = append(list, entry(fmt.Sprintf("%03d", i), "a note about tea", 200-i))
	}
	e.Opened(projectA, list)
	for _, tt := range []struct{ max, want int }{{5, 5}, {0, DefaultMax}, {-1, DefaultMax}, {120, 120}, {1000, 130}} {
		r, err := e.Search(context.Background(), Query{Text: "tea", Max: tt.max, Scopes: []memory.ScopeID{projectA}})
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Hits) != tt.want || r.Total != 130 {
			t.Errorf("max %d: %d hits of %d", tt.max, len(r.Hits), r.Total)
		}
		for i, h := range r.Hits { // the newest first
			if want := fmt.Sprintf("%03d", 129-i); h.ID != want {
				t.Fatalf("max %d: hit %d is %s, want %s", tt.max, i, h.ID, want)
			}
		}
	}
}

func TestFilters(t *testing.T) {
	e := newEngine(t)
	var list []*memory.Entry
	for i, tags := range [][]string{{"go", "Database"}, {"rust"}, nil} {
		x := entry(fmt.Sprint(i), "tea", i)
		x.Tags = tags
		x.Category = []string{"decision", "Convention", ""}[i]
		x.Type = []string{"semantic", "", "episodic"}[i]
		list = append(list, x)
	}
	e.Opened(projectA, list)
	at := func(minutes int) time.Time { return epoch.Add(-time.Duration(minutes) * time.Minute) }
	tests := []struct {
		name string
		q    Query
		want []string
	}{
		{"none", Query{}, []string{"0", "1", "2"}},
		{"tag", Query{Tags: []string{"database"}}, []string{"0"}},
		{"any of the tags", Query{Tags: []string{"rust", "go", "c"}}, []string{"0", "1"}},
		{"unknown tag", Query{Tags: []string{"data"}}, []string{}},
		{"category", Query{Categories: []string{"idea", "Convention"}}, []string{"1"}},
		{"type", Query{Type: "Episodic"}, []string{"2"}},
		{"since", Query{Since: at(1)}, []string{"0", "1"}},
		{"until", Query{Until: at(1)}, []string{"2"}},
		{"both", Query{Since: at(1), Until: at(0)}, []string{"1"}},
		{"all together", Query{Tags: []string{"rust"}, Categories: []string{"decision"}}, []string{}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.q.Text, tt.q.Scopes = "tea", []memory.ScopeID{projectA}
			if diff := cmp.Diff(tt.want, idsOf(t, e, tt.q)); diff != "" {
				t.Errorf("hits (-want +got):\n%s", diff)
			}
		})
	}
}

// Key and tags are searched, for less than the content.
func TestFields(t *testing.T) {
	e := newEngine(t)
	mk := func(id, key, content string, tags ...string) *memory.Entry {
		x := entry(id, content, 1)
		x.Key, x.Tags = key, tags
		return x
	}
	e.Opened(projectA, []*memory.Entry{
		mk("content", "one", "login by oidc alone"),
		mk("tag", "two", "login by password alone", "oidc"),
		mk("key", "oidc", "login by fingerprint alone"),
		mk("none", "four", "login by face alone"),
	})
	if diff := cmp.Diff([]string{"content", "tag", "key"}, ids(t, e, "OIDC")); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// Importance and recency order what is equal otherwise, and no more.
func TestPrior(t *testing.T) {
	e := newEngine(t)
	old, fresh, other := entry("old", "drink tea", 60*24*365), entry("fresh", "drink tea", 1), entry("other", "some tea and some more tea", 60*24*365)
	old.Importance, fresh.Importance = 1, 0.5
	e.Opened(projectA, []*memory.Entry{fresh, old, other})
	if diff := cmp.Diff([]string{"old", "fresh", "other"}, ids(t, e, "drink tea")); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// Where even the prior is equal, as it is for what is dated in the future, the
// newest is first, then the least id.
func TestTies(t *testing.T) {
	e := newEngine(t)
	e.Opened(projectA, []*memory.Entry{entry("b", "tea", -1), entry("c", "tea", -2), entry("a", "tea", -1)})
	if diff := cmp.Diff([]string{"c", "a", "b"}, ids(t, e, "tea")); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// Of few words, who has more comes first, however rare the words of others are.
func TestKeywordsCoverage(t *testing.T) {
	e := newEngine(t)
	list := []*memory.Entry{
		entry("rare", "zeppelin zeppelin zeppelin zeppelin", 0),
		entry("both", "the server in the cellar "+strings.Repeat("hums along and ", 12)+"looks like a zeppelin", 0),
	}
	for i := range 60 {
		list = append(list, entry(fmt.Sprint(i), "server", 1))
	}
	e.Opened(projectA, list)
	if diff := cmp.Diff([]string{"both", "rare"}, ids(t, e, "server zeppelin")[:2]); diff != "" {
		t.Errorf("hits (-want +got):\n%s", diff)
	}
}

// Indexes are locked, and break ties, in one order.
func TestIndexesAreOrdered(t *testing.T) {
	e := newEngine(t)
	other := projectA
	other.UID = 9
	want := []memory.ScopeID{global, projectA, other, projectB}
	for _, id := range want {
		e.Opened(id, nil)
	}
	list, err := e.indexes([]memory.ScopeID{projectB, other, global, projectA, global})
	if err != nil {
		t.Fatal(err)
	}
	var got []memory.ScopeID
	for _, ix := range list {
		got = append(got, ix.id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}
