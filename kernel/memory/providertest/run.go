package providertest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Start is the first time that the suite's clock shows.
var Start = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// Fixture is an empty scope to be tested.
type Fixture struct {
	Provider memory.Provider
	// Reopen closes the provider and opens the same scope again; nil when the
	// scope ends with its provider.
	Reopen func() memory.Provider
	// SetNow sets the provider's clock.
	SetNow func(time.Time)
}

// Run runs the suite. open makes an empty scope whose clock shows Start.
func Run(t *testing.T, open func(t testing.TB) Fixture) {
	for _, c := range []struct {
		name string
		test func(*testing.T, Fixture)
	}{
		{"AddAndLoad", testAddAndLoad},
		{"EveryField", testFields},
		{"KeysAreUnique", testKeys},
		{"ReplaceAndRemove", testReplaceAndRemove},
		{"Put", testPut},
		{"Outcome", testOutcome},
		{"Clear", testClear},
		{"Dry", testDry},
		{"AmbiguousMatch", testAmbiguous},
		{"ExpectedRevision", testExpectedRevision},
		{"LimitIsExact", testLimit},
		{"LimitOfEntries", testEntryLimit},
		{"OverflowPolicies", testOverflow},
		{"Expiry", testExpiry},
		{"Archive", testArchive},
		{"Changes", testChanges},
		{"BatchIsAllOrNothing", testBatch},
		{"IdempotencyKeys", testIdempotency},
		{"History", testHistory},
		{"Restore", testRestore},
		{"VerbatimContent", testVerbatim},
		{"ConcurrentWriters", testConcurrent},
		{"ConcurrentWritersOfEntries", testConcurrentEntries},
		{"ConcurrentAppends", testConcurrentAppends},
		{"Closed", testClosed},
		{"CancelledContext", testCancelled},
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, open(t)) })
	}
	t.Run("Model", func(t *testing.T) { testModel(t, open) })
}

var ids atomic.Int64

func newID() string { return fmt.Sprintf("00000000-0000-4000-8000-%012x", ids.Add(1)) }

// Add is a change that adds a text.
func Add(content string) memory.Change {
	return Change(memory.Op{Action: memory.ActionAdd, Entry: memory.Entry{
		ID: newID(), Content: content, Importance: memory.DefaultImportance,
	}})
}

// Change is a change of operations with a limit of 100,000 runes at Start.
func Change(ops ...memory.Op) memory.Change {
	return memory.Change{
		Ops: ops, Limit: memory.Limit{Runes: 100_000, Overflow: memory.OverflowError},
		Actor: memory.Source{Trust: memory.TrustAgent, Road: "commit"}, At: Start,
	}
}

func must(t testing.TB, p memory.Provider, ch memory.Change) memory.Result {
	t.Helper()
	res, err := p.Apply(context.Background(), ch)
	if err != nil {
		t.Fatalf("apply: %v", err)
	}
	return res
}

func refused(t testing.TB, p memory.Provider, ch memory.Change, want memory.Kind) {
	t.Helper()
	before := load(t, p)
	_, err := p.Apply(context.Background(), ch)
	if err == nil || memory.KindOf(err) != want {
		t.Fatalf("want %v, got %v", want, err)
	}
	if d := Diff(before, load(t, p)); d != "" {
		t.Fatalf("a refused change left a trace:\n%s", d)
	}
}

func load(t testing.TB, p memory.Provider) memory.View {
	t.Helper()
	v, err := p.Load(context.Background())
	if err != nil {
		t.Fatalf("load: %v", err)
	}
	used, count := 0, 0
	for _, e := range v.Entries {
		if !e.Archived {
			used, count = used+e.Runes(), count+1
		}
	}
	if used != v.Used || count != v.Count {
		t.Fatalf("used is %d of %d, but the entries have %d runes and are %d", v.Used, v.Count, used, count)
	}
	return v
}

// Diff compares two views, entries in any order of the same moment.
func Diff(a, b memory.View) string {
	return cmp.Diff(a, b, cmpopts.IgnoreUnexported(memory.View{}), cmpopts.EquateEmpty(), cmpopts.SortSlices(func(x, y *memory.Entry) bool { return x.ID < y.ID }))
}

func contents(v memory.View) string {
	var s []string
	for _, e := range v.Entries {
		s = append(s, e.Content)
	}
	return strings.Join(s, "|")
}

func testConcurrent(t *testing.T, f Fixture) {
	testWriters(t, f, func(l *memory.Limit, half int) { l.Runes = half * 10 })
}

func testConcurrentEntries(t *testing.T, f Fixture) {
	testWriters(t, f, func(l *memory.Limit, half int) { l.Entries = half })
}

// testWriters has 16 writers add texts of 10 runes until half of them are there.
func testWriters(t *testing.T, f Fixture, limit func(l *memory.Limit, half int)) {
	const writers, each = 16, 12
	var added atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range each {
				ch := Add(fmt.Sprintf("wörd %02d %02d", w, i)) // 10 runes
				limit(&ch.Limit, writers*each/2)
				_, err := f.Provider.Apply(context.Background(), ch)
				if err == nil {
					added.Add(1)
				} else if memory.KindOf(err) != memory.KindOverLimit {
					t.Errorf("add: %v", err)
				}
			}
		})
	}
	wg.Wait()
	v := load(t, f.Provider)
	if want := writers * each / 2; len(v.Entries) != want || added.Load() != int64(want) || v.Used != want*10 {
		t.Fatalf("want %d entries of 10 runes, got %d, %d acknowledged, %d runes", want, len(v.Entries), added.Load(), v.Used)
	}
	reopened(t, f, v)
}

func testClosed(t *testing.T, f Fixture) {
	if err := f.Provider.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Provider.Close(); err != nil {
		t.Fatalf("second close: %v", err)
	}
	if _, err := f.Provider.Apply(context.Background(), Add("x")); memory.KindOf(err) != memory.KindUnavailable {
		t.Errorf("apply after close: %v", err)
	}
	if _, err := f.Provider.Load(context.Background()); memory.KindOf(err) != memory.KindUnavailable {
		t.Errorf("load after close: %v", err)
	}
}

func testCancelled(t *testing.T, f Fixture) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := f.Provider.Apply(ctx, Add("x")); memory.KindOf(err) != memory.KindTimeout || err == nil {
		t.Errorf("want a timeout, got %v", err)
	}
	if v := load(t, f.Provider); len(v.Entries) != 0 {
		t.Error("a cancelled change was made")
	}
}
