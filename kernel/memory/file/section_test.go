package file_test

import (
	"context"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// TestSectionsStayAway: a section is a text of its own for what was removed, and what is
// appended to removes nothing; a clear binds nobody but what is learned.
func TestSectionsStayAway(t *testing.T) {
	dir := t.TempDir()
	p := mustOpen(t, dir, file.Options{})
	ctx, at := context.Background(), providertest.Start.Add(time.Hour)
	apply := func(ch memory.Change, want memory.Kind) *memory.Entry {
		t.Helper()
		res, err := p.Apply(ctx, ch)
		if (err != nil) != (want != 0) || err != nil && memory.KindOf(err) != want {
			t.Fatalf("%v, want %v", err, want)
		}
		if err != nil {
			return nil
		}
		return res.Steps[0].After
	}
	put := func(text string) memory.Change {
		ch := providertest.Add(text)
		op := &ch.Ops[0]
		op.Action, op.OnKey, op.Set, op.Entry.Key = memory.ActionPut, memory.KeyAppend, []string{"content"}, "page"
		return ch
	}
	person := func(op memory.Op) memory.Change {
		ch := providertest.Change(op)
		ch.At, ch.Said, ch.Actor = at, at, memory.Source{Trust: memory.TrustHuman}
		return ch
	}
	learned := func(text string) memory.Change {
		ch := providertest.Add(text)
		ch.Actor = memory.Source{Trust: memory.TrustExtracted}
		return ch
	}
	apply(providertest.Add("The old proxy is at 10.0.0.1"), 0)
	apply(person(memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: "The old proxy is at 10.0.0.1"}}), 0)
	apply(put("The first section"), 0)
	apply(put("the OLD proxy  is at 10.0.0.1"), memory.KindRemoved)
	whole := providertest.Add("x\n\n## 2026-01-02T03:04:05Z\n\nThe old proxy is at 10.0.0.1")
	apply(whole, memory.KindRemoved)
	page := apply(put("The second section"), 0)
	apply(learned("The first section"), 0) // it is there, so nothing is held against it
	if list, err := p.Changes(ctx, 10, (*memory.Record).Unwanted); err != nil || len(list) != 1 {
		t.Fatalf("removed: %+v, %v", list, err)
	}

	apply(person(memory.Op{Action: memory.ActionRemove, Match: memory.Match{Key: "page"}}), 0)
	apply(providertest.Add("the second section"), memory.KindRemoved)
	apply(providertest.Change(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: page.ID}, Entry: *page}), memory.KindRemoved)
	apply(person(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: page.ID}, Entry: *page}), 0)
	apply(providertest.Add("the second section"), 0)

	apply(person(memory.Op{Action: memory.ActionClear}), 0)
	apply(learned("the second section"), memory.KindRemoved)
	apply(put("The first section"), 0)
	if v, err := p.Load(ctx); err != nil || len(v.Entries) != 1 {
		t.Fatalf("%+v, %v", v, err)
	}
}
