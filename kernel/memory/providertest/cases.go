package providertest

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// again is the provider of the scope after it was closed and opened, if that can be.
func (f Fixture) again() memory.Provider {
	if f.Reopen == nil {
		return f.Provider
	}
	return f.Reopen()
}

func reopened(t *testing.T, f Fixture, v memory.View) {
	t.Helper()
	if d := Diff(v, load(t, f.again())); d != "" {
		t.Fatalf("after reopening:\n%s", d)
	}
}

func testAddAndLoad(t *testing.T, f Fixture) {
	if v := load(t, f.Provider); len(v.Entries) != 0 || v.Used != 0 {
		t.Fatalf("a new scope is not empty: %+v", v)
	}
	expires, uid := Start.Add(time.Hour), uint32(1000)
	ch := Change(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{
		ID: newID(), Key: "jwt", Category: "convention", Type: "semantic", Tags: []string{"auth", "a b", "2024"},
		Importance: 0.25, Pinned: true, Expires: &expires, Content: "tokens are JWT\n",
		Metadata: map[string]any{"n": 1.5, "s": "x", "list": []any{true, nil, "y"}, "map": map[string]any{"k": "v"}},
	}})
	ch.Actor = memory.Source{Trust: memory.TrustAgent, Road: "commit", UID: &uid, PID: 7, Exe: "/bin/sh", Turns: []string{"t1"}}
	res := must(t, f.Provider, ch)
	v := load(t, f.Provider)
	if len(v.Entries) != 1 || res.Sequence != v.Sequence || res.Used != 15 || len(res.Steps) != 1 {
		t.Fatalf("got %+v and %+v", res, v)
	}
	want := ch.Ops[0].Entry
	want.Created, want.Updated, want.Revision, want.Source = Start, Start, 1, ch.Actor
	if d := cmp.Diff(&want, v.Entries[0]); d != "" {
		t.Fatal(d)
	}
	reopened(t, f, v)
}

func testKeys(t *testing.T, f Fixture) {
	must(t, f.Provider, Add("Use tabs"))
	second := must(t, f.Provider, Add("use TABS!"))
	if k := second.Steps[0].After.Key; k != "use-tabs-2" {
		t.Errorf("derived key is %q", k)
	}
	ch := Add("other")
	ch.Ops[0].Entry.Key = "use-tabs"
	refused(t, f.Provider, ch, memory.KindExists)
	reopened(t, f, load(t, f.Provider))
}

func testReplaceAndRemove(t *testing.T, f Fixture) {
	e := must(t, f.Provider, Add("one")).Steps[0].After
	must(t, f.Provider, Change(memory.Op{
		Action: memory.ActionReplace, Match: memory.Match{Content: "one"},
		Entry: memory.Entry{Content: "two", Key: "renamed/key"}, Set: []string{"content", "key"},
	}))
	v := load(t, f.Provider)
	if len(v.Entries) != 1 || v.Entries[0].ID != e.ID || v.Entries[0].Content != "two" || v.Entries[0].Revision != 2 || v.Entries[0].Key != "renamed/key" {
		t.Fatalf("after the replace: %+v", v.Entries[0])
	}
	refused(t, f.Provider, Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: "one"}}), memory.KindNotFound)
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{Key: "renamed/key"}}))
	if v := load(t, f.Provider); len(v.Entries) != 0 || v.Used != 0 {
		t.Fatalf("after the remove: %+v", v)
	}
	reopened(t, f, load(t, f.Provider))
}

func testAmbiguous(t *testing.T, f Fixture) {
	remove := memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: "same"}}
	first := must(t, f.Provider, Add("same")).Steps[0].After
	other := Add("same")
	other.Ops[0].Entry.Category = "decision"
	id := must(t, f.Provider, other).Steps[0].After.ID
	refused(t, f.Provider, Change(remove), memory.KindInvalid)
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: id}}))
	// Entries that differ in id, key, time and source alone are one text: the newest goes.
	later := Add("same")
	later.At, later.Actor.PID = Start.Add(time.Minute), 7
	must(t, f.Provider, later)
	must(t, f.Provider, Change(remove))
	if v := load(t, f.Provider); len(v.Entries) != 1 || v.Entries[0].ID != first.ID {
		t.Fatalf("one of two identical entries was removed: %+v", v.Entries)
	}
	must(t, f.Provider, Change(remove))
	reopened(t, f, load(t, f.Provider))
}

func testExpectedRevision(t *testing.T, f Fixture) {
	e := must(t, f.Provider, Add("one")).Steps[0].After
	op := memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: e.ID}, Entry: memory.Entry{Content: "two"}, Set: []string{"content"}, ExpectedRevision: 1}
	must(t, f.Provider, Change(op))
	refused(t, f.Provider, Change(op), memory.KindConflict)
}

func testLimit(t *testing.T, f Fixture) {
	at := func(n int) memory.Change {
		ch := Add(strings.Repeat("é", n))
		ch.Limit.Runes = 100
		return ch
	}
	must(t, f.Provider, at(60))
	refused(t, f.Provider, at(41), memory.KindOverLimit)
	must(t, f.Provider, at(40))
	refused(t, f.Provider, at(1), memory.KindOverLimit)
}

func testEntryLimit(t *testing.T, f Fixture) {
	at := func(overflow memory.Overflow) memory.Change {
		ch := Add("é")
		ch.Limit.Entries, ch.Limit.Overflow = 2, overflow
		return ch
	}
	must(t, f.Provider, at(memory.OverflowError))
	must(t, f.Provider, at(memory.OverflowError))
	refused(t, f.Provider, at(memory.OverflowError), memory.KindOverLimit)
	if res := must(t, f.Provider, at(memory.OverflowFIFO)); len(res.Steps) != 2 || res.Steps[0].Action != memory.ActionEvict {
		t.Fatalf("want one eviction, got %+v", res.Steps)
	}
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: load(t, f.Provider).Entries[0].ID}, Entry: memory.Entry{Content: "longer"}, Set: []string{"content"}}))
}

func testOverflow(t *testing.T, f Fixture) {
	add := func(content string, importance float64, pinned bool, after time.Duration, overflow memory.Overflow) memory.Result {
		ch := Add(content)
		ch.Ops[0].Entry.Importance, ch.Ops[0].Entry.Pinned = importance, pinned
		ch.At = Start.Add(after)
		ch.Limit = memory.Limit{Runes: 4, Overflow: overflow}
		return must(t, f.Provider, ch)
	}
	add("a", 1, true, 0, memory.OverflowFIFO)
	add("b", 0.9, false, 1, memory.OverflowFIFO)
	add("c", 0.1, false, 2, memory.OverflowFIFO)
	add("d", 0.5, false, 3, memory.OverflowFIFO)
	if got := add("e", 0.5, false, 4, memory.OverflowFIFO); len(got.Steps) != 2 || got.Steps[0].Action != memory.ActionEvict {
		t.Fatalf("want one eviction, got %+v", got.Steps)
	}
	if got := contents(load(t, f.Provider)); got != "a|c|d|e" {
		t.Fatalf("fifo left %s", got)
	}
	add("f", 0.5, false, 5, memory.OverflowRelevance)
	if got := contents(load(t, f.Provider)); got != "a|d|e|f" {
		t.Fatalf("relevance left %s", got)
	}
	ch := Add("12345")
	ch.Limit = memory.Limit{Runes: 4, Overflow: memory.OverflowFIFO}
	refused(t, f.Provider, ch, memory.KindOverLimit)
	reopened(t, f, load(t, f.Provider))
}

func testExpiry(t *testing.T, f Fixture) {
	ch := Add("for a minute")
	end := Start.Add(time.Minute)
	ch.Ops[0].Entry.Expires = &end
	must(t, f.Provider, ch)
	must(t, f.Provider, Add("for ever"))
	f.SetNow(end)
	if got := contents(load(t, f.Provider).Live(&memory.Lifetimes{}, end, false)); got != "for ever" {
		t.Fatalf("after its end: %s", got)
	}
	ch = Add("later")
	ch.At = end
	if res := must(t, f.Provider, ch); res.Steps[0].Action != memory.ActionExpire {
		t.Fatalf("want the expiry first, got %+v", res.Steps)
	}
	reopened(t, f, load(t, f.Provider))
}

// testArchive has rows say when an entry ends: it stays, counts for nothing, is named by
// its key, and comes back by a restore.
func testArchive(t *testing.T, f Fixture) {
	ended := Start.Add(2 * time.Hour)
	mortal := func(ops ...memory.Op) memory.Change {
		ch := Change(ops...)
		ch.At = ended
		ch.Limit.Runes, ch.Limit.Entries, ch.Limit.Overflow = 10, 1, memory.OverflowFIFO
		ch.Limit.Lifetimes = memory.Lifetimes{Lifetime: time.Hour, Then: memory.ThenArchive, Categories: memory.Categories{"kept": {Lifetime: memory.Forever}}}
		return ch
	}
	first := must(t, f.Provider, Add("1234567890")).Steps[0].After
	kept := Change(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: newID(), Key: "kept", Category: "kept", Content: "k"}})
	must(t, f.Provider, kept)
	res := must(t, f.Provider, mortal())
	if len(res.Steps) != 1 || res.Steps[0].Action != memory.ActionArchive || !res.Steps[0].After.Archived || res.Steps[0].After.Revision != 2 {
		t.Fatalf("want one entry archived, got %+v", res.Steps)
	}
	res = must(t, f.Provider, mortal(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: newID(), Key: "more", Content: "1234567890"}}))
	if got := contents(load(t, f.Provider)); got != "1234567890|1234567890" || res.Used != 10 {
		t.Fatalf("%s, used %d", got, res.Used)
	}
	refused(t, f.Provider, mortal(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: newID(), Key: first.Key, Content: "x"}}), memory.KindExists)
	back := *first
	back.Revision = 2
	res = must(t, f.Provider, mortal(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: first.ID}, Entry: back}))
	if e := res.Steps[len(res.Steps)-1].After; e.Archived || e.Revision != 3 || !e.Updated.Equal(ended) || res.Used != 10 {
		t.Fatalf("restored: %+v, used %d", e, res.Used)
	}
	reopened(t, f, load(t, f.Provider))
}

// testChanges asks for the latest changes of all entries.
func testChanges(t *testing.T, f Fixture) {
	for i := range 5 {
		must(t, f.Provider, Add(fmt.Sprint("n", i)))
	}
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: "n1"}}))
	for _, open := range []func() memory.Provider{func() memory.Provider { return f.Provider }, f.again} {
		said := ""
		recs, err := open().(memory.Chronicler).Changes(context.Background(), 3, func(r *memory.Record) bool { return r.Sequence != 4 })
		for _, r := range recs {
			said += fmt.Sprintf("%d %s, ", r.Sequence, r.Action)
		}
		if err != nil || said != "3 add, 5 add, 6 remove, " {
			t.Fatalf("%s %v", said, err)
		}
	}
}

func testBatch(t *testing.T, f Fixture) {
	must(t, f.Provider, Add("first"))
	good, bad := Add("second"), memory.Op{Action: memory.ActionRemove, Match: memory.Match{Key: "nobody"}}
	refused(t, f.Provider, Change(good.Ops[0], bad), memory.KindNotFound)
	res := must(t, f.Provider, Change(
		memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: newID(), Key: "k", Content: "third"}},
		memory.Op{Action: memory.ActionReplace, Match: memory.Match{Key: "k"}, Entry: memory.Entry{Content: "fourth", Key: "l"}, Set: []string{"content", "key"}},
		memory.Op{Action: memory.ActionRemove, Match: memory.Match{Content: "first"}},
		memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{ID: newID(), Key: "first", Content: "again"}},
	))
	if len(res.Steps) != 4 {
		t.Fatalf("want 4 steps, got %+v", res.Steps)
	}
	v := load(t, f.Provider)
	if got := contents(v); got != "fourth|again" {
		t.Fatalf("got %s", got)
	}
	reopened(t, f, v)
}

func testIdempotency(t *testing.T, f Fixture) {
	ch := Add("once")
	ch.IdempotencyKey, ch.Digest = "key", "digest"
	first := must(t, f.Provider, ch)
	p := f.again()
	again := Add("once")
	again.IdempotencyKey, again.Digest = "key", "digest"
	second := must(t, p, again)
	first.Replayed = true
	if d := cmp.Diff(first, second); d != "" {
		t.Fatalf("the replay differs:\n%s", d)
	}
	again.Digest = "another"
	refused(t, p, again, memory.KindConflict)
	if v := load(t, p); len(v.Entries) != 1 {
		t.Fatalf("want one entry, got %s", contents(v))
	}
}

func testHistory(t *testing.T, f Fixture) {
	e := must(t, f.Provider, Add("one")).Steps[0].After
	must(t, f.Provider, Add("another"))
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionReplace, Match: memory.Match{ID: e.ID}, Entry: memory.Entry{Content: "two"}, Set: []string{"content"}}))
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: e.ID}}))
	p := f.again()
	for _, m := range []memory.Match{{ID: e.ID}, {Key: "one"}, {Content: "two"}} {
		h, err := p.History(context.Background(), m)
		if err != nil || len(h) != 3 {
			t.Fatalf("history of %+v: %+v, %v", m, h, err)
		}
		if h[0].Action != memory.ActionAdd || h[1].Before.Content != "one" || h[1].After.Content != "two" || h[2].After != nil || h[2].Actor.Road != "commit" {
			t.Fatalf("history of %+v: %+v", m, h)
		}
	}
	if _, err := p.History(context.Background(), memory.Match{Key: "nobody"}); memory.KindOf(err) != memory.KindNotFound {
		t.Fatalf("history of nobody: %v", err)
	}
}

func testRestore(t *testing.T, f Fixture) {
	e := must(t, f.Provider, Add("one")).Steps[0].After
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRemove, Match: memory.Match{ID: e.ID}}))
	must(t, f.Provider, Change(memory.Op{Action: memory.ActionRestore, Match: memory.Match{ID: e.ID}, Entry: *e}))
	v := load(t, f.Provider)
	if len(v.Entries) != 1 || v.Entries[0].ID != e.ID || v.Entries[0].Content != "one" || v.Entries[0].Revision != 2 {
		t.Fatalf("got %+v", v.Entries)
	}
	reopened(t, f, v)
}

func testVerbatim(t *testing.T, f Fixture) {
	for _, s := range []string{
		"\n", " ", "a\n\nb", "a\r\nb\r\n", "---", "---\nkey: x\n---\ntext", "--- \n", "§entry\n§another", "\ufeffbom", "tab\t", "ends\n\n",
		"...", "a\n---\n", "日本語\u3000テキスト", "e\u0301", "👩‍👩‍👧", "\x01\x1f\x7f", "#!", "\u2028", "a: b", "%", "@`", "\"q\"",
	} {
		must(t, f.Provider, Add(s))
	}
	for _, k := range []string{"../../etc/passwd", ".hidden", "a/b", "CON", "a.", "..", "ключ", "鍵", " pad ", strings.Repeat("長", 200), strings.Repeat("長", 199)} {
		ch := Add("key")
		ch.Ops[0].Entry.Key = k
		must(t, f.Provider, ch)
	}
	reopened(t, f, load(t, f.Provider))
}
