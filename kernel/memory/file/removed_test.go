package file_test

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// TestRemoved: what somebody took away is told, what made room or moved is not.
func TestRemoved(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{Hooks: gate(60)})
	add := func(content string) memory.Match {
		t.Helper()
		res, err := p.Apply(context.Background(), providertest.Add(content))
		if err != nil {
			t.Fatal(err)
		}
		return memory.Match{ID: res.Steps[0].After.ID}
	}
	replaced, removed, kept := add("one"), add("two"), add("three")
	must(t, p, memory.Op{Action: memory.ActionReplace, Match: replaced, Entry: memory.Entry{Content: "uno"}, Set: []string{"content"}})
	must(t, p, memory.Op{Action: memory.ActionReplace, Match: kept, Entry: memory.Entry{Importance: 0.9}, Set: []string{"importance"}})
	must(t, p, memory.Op{Action: memory.ActionRemove, Match: removed})
	evicting := providertest.Add("a text that needs so much room that one has to go...")
	evicting.Limit = memory.Limit{Runes: 60, Overflow: memory.OverflowFIFO}
	if _, err := p.Apply(context.Background(), evicting); err != nil {
		t.Fatal(err)
	}
	want := []string{"replace one", "remove two"}
	check := func() {
		t.Helper()
		list, err := p.Changes(context.Background(), 100, (*memory.Record).Unwanted)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, r := range list {
			got = append(got, string(r.Action)+" "+r.Before.Content)
			if r.Time.IsZero() {
				t.Errorf("%+v", r)
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
	}
	check()
	if list, err := p.Changes(context.Background(), 1, (*memory.Record).Unwanted); err != nil || len(list) != 1 {
		t.Errorf("%d of them, %v", len(list), err)
	}
}

// TestBackTwice brings a file that was taken for removed back over two others: it
// is its entry again at one of them, and a copy at the other.
func TestBackTwice(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	known := map[string]string{}
	for _, key := range []string{"a", "b", "c"} {
		known[key] = "id-" + key
		must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-" + key, Key: key, Content: key}})
	}
	h := hand{t, dir}
	h.do("mv a.md aside")
	repair(t, p)
	h.do("cp aside b.md")
	h.do("cp aside c.md")
	repair(t, p)
	if got := byID(t, p, known); !slices.Equal(got, []string{"a=a", "c=a"}) {
		t.Errorf("got %q", got)
	}
}

// TestRefusedBesideACopy refuses a file that came back, and whose copy is fine: the
// copy is the entry.
func TestRefusedBesideACopy(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{Hooks: gate(1000)})
	must(t, p, memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: "id-a", Key: "a", Content: "a"}})
	h := hand{t, dir}
	h.do("mv a.md aside")
	repair(t, p)
	h.do("cp aside b.md")
	h.do("cp aside c.md")
	h.do("edit b.md SECRET")
	repair(t, p)
	if got := byID(t, p, map[string]string{"a": "id-a"}); !slices.Equal(got, []string{"a=a"}) {
		t.Errorf("got %q", got)
	}
}
