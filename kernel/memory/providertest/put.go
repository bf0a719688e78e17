package providertest

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// put is a change that puts a text.
func put(key, content string, onKey memory.OnKey) memory.Change {
	ch := Add(content)
	op := &ch.Ops[0]
	op.Action, op.OnKey, op.Set, op.Entry.Key = memory.ActionPut, onKey, []string{"key", "content"}, key
	return ch
}

func testPut(t *testing.T, f Fixture) {
	first := put("deploy", "We deploy on Fridays", memory.KeyRefuse)
	first.Ops[0].Entry.Category, first.Ops[0].Entry.Pinned, first.Ops[0].Entry.Tags = "convention", true, []string{"ops"}
	first.Ops[0].Merge, first.Ops[0].Entry.Metadata = true, map[string]any{"status": "active", "priority": 3.0, "nothing": nil}
	e := must(t, f.Provider, first).Steps[0].After
	refused(t, f.Provider, put("deploy", "x", memory.KeyRefuse), memory.KindExists)

	second := put("deploy", "also on Mondays\n## 2020-01-01T00:00:00Z\nnever", memory.KeyAppend)
	second.At = Start.Add(time.Hour)
	second.Ops[0].Merge, second.Ops[0].Entry.Metadata = true, map[string]any{"status": "done", "owner": "ada"}
	step := must(t, f.Provider, second).Steps[0]
	want := *e
	want.Content = "We deploy on Fridays\n\n## 2026-01-02T04:04:05Z\n\nalso on Mondays\n\\## 2020-01-01T00:00:00Z\nnever"
	want.Metadata = map[string]any{"status": "done", "priority": 3.0, "owner": "ada"}
	want.Updated, want.Revision = second.At, 2
	if d := cmp.Diff(&want, step.After); d != "" || step.Action != memory.ActionAppend {
		t.Fatalf("%s:\n%s", step.Action, d)
	}

	third := put("deploy", "never", memory.KeyReplace)
	third.Ops[0].ExpectedRevision = 1
	refused(t, f.Provider, third, memory.KindConflict)
	third.Ops[0].ExpectedRevision = 2
	if step := must(t, f.Provider, third).Steps[0]; step.After.Content != "never" || step.After.Category != "convention" || step.After.Revision != 3 {
		t.Fatalf("after a put that replaces: %+v", step.After)
	}
	third.Ops[0].Entry.Key = "nobody"
	refused(t, f.Provider, third, memory.KindNotFound)
	large := put("deploy", "x", memory.KeyAppend)
	large.Limit.Runes = 20
	refused(t, f.Provider, large, memory.KindOverLimit)
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: e.ID}, Entry: want}))
	v := load(t, f.Provider)
	if len(v.Entries) != 1 || v.Entries[0].Content != want.Content || v.Entries[0].Revision != 4 {
		t.Fatalf("after a restore: %+v", v.Entries[0])
	}
	reopened(t, f, v)
}

func testOutcome(t *testing.T, f Fixture) {
	ch := put("pattern", "retry once", memory.KeyReplace)
	ch.Ops[0].Entry.Metadata = map[string]any{"uses": 10.0, "success_rate": 0.8}
	e := must(t, f.Provider, ch).Steps[0].After
	rate := func(o memory.Outcome) (uses, rate any) {
		op := memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: e.ID}, Outcome: o}
		must(t, f.Provider, Change(op))
		f.Provider = f.again()
		m := load(t, f.Provider).Entries[0].Metadata
		return fmt.Sprint(m["uses"]), m["success_rate"]
	}
	uses, up := rate(memory.OutcomeSuccess)
	if uses != "11" || up.(float64) <= 0.8 {
		t.Fatalf("a success made %v, %v of 10 uses, 0.8", uses, up)
	}
	if _, down := rate(memory.OutcomeFailure); down.(float64) >= up.(float64) {
		t.Fatalf("a failure made %v of %v", down, up)
	}
}

func testDry(t *testing.T, f Fixture) {
	kept := put("k", "kept", memory.KeyRefuse)
	kept.IdempotencyKey, kept.Digest = "once", "d"
	must(t, f.Provider, kept)
	before := load(t, f.Provider)
	dry := func(ch memory.Change) memory.Change {
		ch.Dry = true
		return ch
	}
	must(t, f.Provider, dry(Add("not here")))
	must(t, f.Provider, dry(Change(memory.Op{Action: memory.ActionClear})))
	refused(t, f.Provider, dry(put("k", "x", memory.KeyRefuse)), memory.KindExists)
	if again := must(t, f.Provider, dry(kept)); !again.Replayed {
		t.Error("what was done already is refused")
	}
	if d := Diff(before, load(t, f.Provider)); d != "" {
		t.Errorf("it left a trace:\n%s", d)
	}
	reopened(t, f, before)
}

func testClear(t *testing.T, f Fixture) {
	first := must(t, f.Provider, Add("one")).Steps[0].After
	pinned := Add("two")
	pinned.Ops[0].Entry.Pinned = true
	must(t, f.Provider, pinned)
	if res := must(t, f.Provider, Change(memory.Op{Action: memory.ActionClear})); len(res.Steps) != 2 || res.Used != 0 {
		t.Fatalf("got %+v", res)
	}
	p := f.again()
	if v := load(t, p); len(v.Entries) != 0 {
		t.Fatalf("left: %s", contents(v))
	}
	h, err := p.History(context.Background(), memory.Match{ID: first.ID})
	if err != nil || len(h) != 2 || h[1].Action != memory.ActionClear || h[1].Before.Content != "one" {
		t.Fatalf("history: %+v, %v", h, err)
	}
	must(t, p, Change(memory.Op{Action: memory.ActionClear})) // of nothing
	must(t, p, Add("one"))
}

func testConcurrentAppends(t *testing.T, f Fixture) {
	const writers, each = 16, 3
	var want []string
	for n := range writers * each {
		want = append(want, fmt.Sprintf("text %02d", n))
	}
	var wg sync.WaitGroup
	for texts := range slices.Chunk(want, each) {
		wg.Go(func() {
			for _, text := range texts {
				if _, err := f.Provider.Apply(context.Background(), put("log", text, memory.KeyAppend)); err != nil {
					t.Errorf("put: %v", err)
				}
			}
		})
	}
	wg.Wait()
	v := load(t, f.Provider)
	if len(v.Entries) != 1 || v.Entries[0].Revision != writers*each {
		t.Fatalf("want one entry at revision %d, got %d: %+v", writers*each, len(v.Entries), v.Entries[0])
	}
	got := memory.Sections(v.Entries[0].Content)
	slices.Sort(got)
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("sections:\n%s", d)
	}
	reopened(t, f, v)
}
