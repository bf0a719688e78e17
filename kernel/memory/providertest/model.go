package providertest

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// model is a scope as plain as it can be: a list. It shares no code with
// memory.State.
type model struct {
	entries []memory.Entry
}

func (m *model) used() (n int) {
	for _, e := range m.entries {
		n += len([]rune(e.Content))
	}
	return n
}

func (m *model) find(match memory.Match) (at []int) {
	for i, e := range m.entries {
		if e.ID == match.ID || match.ID == "" && (e.Key == match.Key || match.Key == "" && e.Content == match.Content) {
			at = append(at, i)
		}
	}
	return at
}

// alike reports whether entries differ in their ids, keys, times and sources alone.
func (m *model) alike(at []int) bool {
	plain := func(i int) memory.Entry {
		e := m.entries[i]
		e.ID, e.Key, e.Created, e.Updated, e.Revision, e.Source = "", "", time.Time{}, time.Time{}, 0, memory.Source{}
		if e.Expires != nil {
			e.Expires = &time.Time{}
		}
		return e
	}
	return !slices.ContainsFunc(at, func(i int) bool { return !reflect.DeepEqual(plain(i), plain(at[0])) })
}

func (m *model) hasKey(key string) bool { return len(m.find(memory.Match{Key: key})) > 0 }

// apply answers with the kind that is expected, or -1, and then holds the
// expected entries. Keys that the provider derived are taken from got.
func (m *model) apply(ch memory.Change) (kind int) {
	before := slices.Clone(m.entries)
	m.entries = slices.DeleteFunc(m.entries, func(e memory.Entry) bool { return e.Expires != nil && !ch.At.Before(*e.Expires) })
	touched := map[string]bool{}
	for _, op := range ch.Ops {
		if k := m.op(ch, op, touched); k >= 0 {
			m.entries = before
			return k
		}
	}
	return -1
}

func (m *model) op(ch memory.Change, op memory.Op, touched map[string]bool) int {
	if op.Action == memory.ActionPut {
		op.Action = memory.ActionAdd
		if at := m.find(memory.Match{Key: op.Entry.Key}); len(at) > 0 {
			op.Action, op.Match = memory.ActionReplace, memory.Match{Key: op.Entry.Key}
			switch op.OnKey {
			case memory.KeyRefuse:
				return int(memory.KindExists)
			case memory.KeyAppend:
				op.Entry.Content = memory.Append(m.entries[at[0]].Content, op.Entry.Content, ch.At)
			}
		} else if op.OnKey == memory.KeyAppend {
			op.Entry.Content = memory.FormPage.Of(op.Entry.Content, "")
		}
	}
	if op.Action == memory.ActionAdd {
		if m.hasKey(op.Entry.Key) {
			return int(memory.KindExists)
		}
		e := op.Entry
		e.Created, e.Updated, e.Revision, e.Source = ch.At, ch.At, 1, ch.Actor
		if !m.room(ch, len([]rune(e.Content)), 1, touched) {
			return int(memory.KindOverLimit)
		}
		m.entries = append(m.entries, e)
		touched[e.ID] = true
		return -1
	}
	at := m.find(op.Match)
	switch {
	case len(at) == 0:
		return int(memory.KindNotFound)
	case len(at) > 1 && !m.alike(at):
		return int(memory.KindInvalid)
	}
	at = []int{slices.MaxFunc(at, func(i, j int) int {
		return cmp.Or(m.entries[i].Created.Compare(m.entries[j].Created), cmp.Compare(m.entries[i].ID, m.entries[j].ID))
	})}
	old := m.entries[at[0]]
	if op.ExpectedRevision != 0 && op.ExpectedRevision != old.Revision {
		return int(memory.KindConflict)
	}
	if op.Action == memory.ActionRemove {
		m.entries = slices.Delete(m.entries, at[0], at[0]+1)
		return -1
	}
	e := old
	e.Content = op.Entry.Content
	if slices.Contains(op.Set, "key") {
		if e.Key = op.Entry.Key; e.Key != old.Key && m.hasKey(e.Key) {
			return int(memory.KindExists)
		}
	}
	derived := func(e memory.Entry) bool { return e.Key == memory.DeriveKey(e.Content) }
	e.KeyStale = e.Key == old.Key && !derived(e) && (old.KeyStale || e.Content != old.Content && derived(old))
	e.Updated, e.Revision, e.Source = ch.At, e.Revision+1, ch.Actor
	wasTouched := touched[e.ID]
	touched[e.ID] = true
	if !m.room(ch, len([]rune(e.Content))-len([]rune(old.Content)), 0, touched) {
		touched[e.ID] = wasTouched
		return int(memory.KindOverLimit)
	}
	m.entries[m.find(memory.Match{ID: e.ID})[0]] = e
	return -1
}

// room evicts what the policy names until grow more runes and more entries fit.
func (m *model) room(ch memory.Change, grow, more int, touched map[string]bool) bool {
	fits := func() bool {
		return (grow <= 0 || m.used()+grow <= ch.Limit.Runes) && (more <= 0 || ch.Limit.Entries == 0 || len(m.entries)+more <= ch.Limit.Entries)
	}
	if fits() {
		return true
	}
	var may []memory.Entry
	for _, e := range m.entries {
		if !e.Pinned && !touched[e.ID] && ch.Limit.Overflow != memory.OverflowError {
			may = append(may, e)
		}
	}
	worth := func(e memory.Entry) float64 {
		if ch.Limit.Overflow == memory.OverflowFIFO {
			return 0
		}
		return 0.7*e.Importance + 0.3*math.Exp(-max(0, ch.At.Sub(e.Updated).Hours()/24)/30)
	}
	slices.SortFunc(may, func(a, b memory.Entry) int {
		return cmp.Or(cmp.Compare(worth(a), worth(b)), a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	for len(may) > 0 && !fits() {
		m.entries = slices.DeleteFunc(m.entries, func(e memory.Entry) bool { return e.ID == may[0].ID })
		may = may[1:]
	}
	return fits()
}

func testModel(t *testing.T, open func(t testing.TB) Fixture) {
	rapid.Check(t, func(rt *rapid.T) {
		f := open(t)
		d := &driver{f: f, p: f.Provider, m: &model{}, now: Start}
		defer func() { _ = d.p.Close() }()
		for i, n := 0, rapid.IntRange(1, 30).Draw(rt, "steps"); i < n; i++ {
			d.step(rt)
		}
	})
}

type driver struct {
	f   Fixture
	p   memory.Provider
	m   *model
	now time.Time
	seq int64
}

func (d *driver) step(t *rapid.T) {
	d.now = d.now.Add(time.Duration(rapid.IntRange(0, 48).Draw(t, "hours")) * time.Hour)
	d.f.SetNow(d.now)
	if d.f.Reopen != nil && rapid.IntRange(0, 9).Draw(t, "reopen") == 0 {
		d.p = d.f.Reopen()
		d.f.SetNow(d.now)
	}
	ch := d.change(t)
	before := slices.Clone(d.m.entries)
	want := d.m.apply(ch)
	res, err := d.p.Apply(context.Background(), ch)
	switch {
	case want < 0 && err != nil:
		t.Fatalf("want success, got %v", err)
	case want >= 0 && (err == nil || memory.KindOf(err) != memory.Kind(want)):
		t.Fatalf("want %v, got %v", memory.Kind(want), err)
	case err == nil && (res.Used != d.m.used() || res.Sequence <= d.seq):
		t.Fatalf("used %d and sequence %d, want %d and more than %d", res.Used, res.Sequence, d.m.used(), d.seq)
	case err == nil:
		d.seq = res.Sequence
		d.pinnedStay(t, before, res)
	}
	d.compare(t)
	if err == nil && ch.IdempotencyKey != "" {
		again, err := d.p.Apply(context.Background(), ch)
		if err != nil || !again.Replayed || again.Sequence != res.Sequence {
			t.Fatalf("retry: %+v, %v", again, err)
		}
		d.compare(t)
	}
}

func (d *driver) pinnedStay(t *rapid.T, before []memory.Entry, res memory.Result) {
	for _, s := range res.Steps {
		if s.Action == memory.ActionEvict && slices.ContainsFunc(before, func(e memory.Entry) bool { return e.ID == s.Before.ID && e.Pinned }) {
			t.Fatalf("a pinned entry was evicted: %s", s.Before.Key)
		}
	}
}

func (d *driver) compare(t *rapid.T) {
	v, err := d.p.Load(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	v = v.Live(&memory.Lifetimes{}, d.now, false)
	want := memory.View{Sequence: v.Sequence}
	for _, e := range d.m.entries {
		if e.Expires == nil || d.now.Before(*e.Expires) {
			want.Entries = append(want.Entries, &e)
			want.Used += len([]rune(e.Content))
			want.Count++
		}
	}
	if diff := Diff(want, v); diff != "" {
		t.Fatalf("the provider is not what the model is (-model +provider):\n%s", diff)
	}
}

func (d *driver) change(t *rapid.T) memory.Change {
	ch := memory.Change{
		At: d.now, Actor: memory.Source{Trust: memory.TrustAgent, Road: "commit", PID: rapid.IntRange(0, 3).Draw(t, "pid")},
		Limit: memory.Limit{
			Runes:    rapid.IntRange(1, 60).Draw(t, "limit"),
			Entries:  rapid.SampledFrom([]int{0, 0, 1, 3}).Draw(t, "entries"),
			Overflow: rapid.SampledFrom([]memory.Overflow{memory.OverflowError, memory.OverflowFIFO, memory.OverflowRelevance}).Draw(t, "overflow"),
		},
	}
	for i, n := 0, rapid.SampledFrom([]int{1, 1, 1, 2, 4}).Draw(t, "ops"); i < n; i++ {
		ch.Ops = append(ch.Ops, d.op(t))
	}
	if rapid.IntRange(0, 3).Draw(t, "idempotent") == 0 {
		ch.IdempotencyKey, ch.Digest = newID(), "d"
	}
	return ch
}

var keys = rapid.SampledFrom([]string{"a", "b", "c/d", "c-d", "é", "e\u0301", ".x", "X", "x"})

func (d *driver) op(t *rapid.T) memory.Op {
	content := rapid.StringN(1, 12, -1).Draw(t, "content")
	switch rapid.IntRange(0, 3).Draw(t, "action") {
	case 0:
		return memory.Op{Action: memory.ActionRemove, Match: d.match(t)}
	case 1:
		op := memory.Op{Action: memory.ActionReplace, Match: d.match(t), Entry: memory.Entry{Content: content}, Set: []string{"content"}}
		if rapid.Bool().Draw(t, "rekey") {
			op.Entry.Key, op.Set = keys.Draw(t, "key"), append(op.Set, "key")
		}
		op.ExpectedRevision = int64(rapid.IntRange(0, 2).Draw(t, "expected"))
		return op
	}
	e := memory.Entry{
		ID: newID(), Key: keys.Draw(t, "key"), Content: content, Category: rapid.SampledFrom([]string{"", "no", "a b"}).Draw(t, "category"),
		Importance: float64(rapid.IntRange(0, 10).Draw(t, "importance")) / 10, Pinned: rapid.IntRange(0, 3).Draw(t, "pinned") == 0,
	}
	if rapid.IntRange(0, 4).Draw(t, "mortal") == 0 {
		end := d.now.Add(time.Duration(rapid.IntRange(1, 100).Draw(t, "life")) * time.Hour)
		e.Expires = &end
	}
	if rapid.IntRange(0, 2).Draw(t, "metadata") == 0 {
		e.Metadata = map[string]any{rapid.String().Draw(t, "name"): rapid.String().Draw(t, "value")}
	}
	op := memory.Op{Action: memory.ActionAdd, Entry: e}
	if rapid.IntRange(0, 2).Draw(t, "put") == 0 {
		op.Action, op.Set = memory.ActionPut, []string{"key", "content"}
		op.OnKey = rapid.SampledFrom([]memory.OnKey{memory.KeyRefuse, memory.KeyReplace, memory.KeyAppend}).Draw(t, "on key")
	}
	return op
}

func (d *driver) match(t *rapid.T) memory.Match {
	if len(d.m.entries) == 0 || rapid.IntRange(0, 5).Draw(t, "miss") == 0 {
		return memory.Match{Key: fmt.Sprint("missing-", newID())}
	}
	e := rapid.SampledFrom(d.m.entries).Draw(t, "entry")
	return rapid.SampledFrom([]memory.Match{{ID: e.ID}, {Key: e.Key}, {Content: e.Content}}).Draw(t, "match")
}
