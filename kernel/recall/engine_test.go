package recall

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestMain(m *testing.M) {
	if Child != nil && Child() {
		return
	}
	// The benchmarks import bleve itself, which starts a pool for its lifetime.
	goleak.VerifyTestMain(m, goleak.IgnoreCurrent())
}

// The observer's methods return while a search or a batch holds the index.
func TestObserverDoesNotWait(t *testing.T) {
	e := newEngine(t)
	e.Opened(projectA, entries("tea"))
	ids(t, e, "tea")
	ix := e.scopes[projectA]
	ix.mu.Lock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		e.Changed(projectA, add(entry("new", "tea", 0)))
		e.Changed(projectB, add(entry("other", "tea", 0)))
		e.Opened(projectA, entries("tea", "tea"))
	}()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Error("the observer waits for the index")
	}
	ix.mu.Unlock()
	<-done
}

func TestCloseTwice(t *testing.T) {
	e := New(Options{})
	e.Opened(projectA, entries("tea"))
	for range 2 {
		if err := e.Close(); err != nil {
			t.Error(err)
		}
	}
	e.Opened(projectA, entries("tea"))
	e.Changed(projectA, add(entry("x", "tea", 0)))
	e.Closed(projectA)
}

// Of each entry the last change waits, and after a reset those that are there.
func TestQueue(t *testing.T) {
	var q queue
	names := func() (out []string, reset bool) {
		changed, reset := q.take()
		for id, e := range changed {
			out = append(out, fmt.Sprint(id, e != nil))
		}
		slices.Sort(out)
		return out, reset
	}
	q.push(add(entry("dropped", "x", 0)))
	q.reopen(entries("x", "x", "x"))
	q.push([]memory.Step{{Before: entry("1", "x", 1)}, {After: entry("9", "x", 0)}})
	if got, reset := names(); !slices.Equal(got, []string{"0true", "2true", "9true"}) || !reset {
		t.Errorf("opened: %q, %v", got, reset)
	}
	q.push([]memory.Step{{After: entry("9", "y", 0)}, {Before: entry("9", "y", 0)}, {Before: entry("2", "x", 2)}, {After: entry("2", "x", 2)}})
	if got, reset := names(); !slices.Equal(got, []string{"2true", "9false"}) || reset {
		t.Errorf("changed: %q, %v", got, reset)
	}
	if got, reset := names(); len(got) != 0 || reset {
		t.Errorf("left: %q, %v", got, reset)
	}
}

// Removed and replaced documents do not stay.
func TestCompaction(t *testing.T) {
	e := newEngine(t)
	list, _ := corpus(300)
	for round := range 30 {
		for _, x := range list {
			next := x.Clone()
			next.Content += fmt.Sprint(" round", round)
			e.Changed(projectA, []memory.Step{{Before: x, After: next}})
		}
		ids(t, e, "warm up")
		ix := e.scopes[projectA]
		snap := ix.postings.Snapshot()
		if n := len(ix.passages); n > 2*ix.live+minDead+len(list) || int(snap.Docs()) != n {
			t.Fatalf("%d passages kept for %d, %d in the postings", n, ix.live, snap.Docs())
		}
		snap.Close()
	}
	for _, x := range list[:280] {
		e.Changed(projectA, []memory.Step{{Action: memory.ActionRemove, Before: x}})
		ids(t, e, "warm up")
	}
	if n := len(e.scopes[projectA].passages); n > 3*minDead {
		t.Errorf("%d passages kept for 20", n)
	}
	for _, x := range list[280:] {
		if got := ids(t, e, x.Content); len(got) == 0 || got[0] != x.ID {
			t.Errorf("%s is not the first hit of its own content: %v", x.ID, got)
		}
	}
}

// Changes and searches of several scopes at once: every search sees what was acknowledged before it began.
func TestConcurrency(t *testing.T) {
	e := New(Options{})
	defer func() { _ = e.Close() }()
	scopes := []memory.ScopeID{projectA, projectB, global}
	for _, id := range scopes {
		e.Opened(id, nil)
	}
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for i := range 40 {
				id := scopes[r.IntN(len(scopes))]
				word := fmt.Sprintf("word%dx%d", w, i)
				x := entry(word, "a text with "+word, i)
				e.Changed(id, add(x))
				order := slices.Clone(scopes)
				r.Shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
				found, err := e.Search(context.Background(), Query{Text: word, Scopes: order})
				if err != nil || len(found.Hits) == 0 || found.Hits[0].ID != word || found.Hits[0].Scope != id {
					t.Errorf("%s in %v: %+v, %v", word, id, found, err)
				}
				if i%3 == 0 {
					e.Changed(id, []memory.Step{{Action: memory.ActionRemove, Before: x}})
				}
			}
		})
	}
	wg.Wait()
	found, err := e.Search(context.Background(), Query{Text: "text", Scopes: scopes, Max: 1000})
	if want := 4 * (40 - 14); err != nil || found.Total != want || len(found.Hits) != want {
		t.Errorf("%d hits of %d, want %d: %v", len(found.Hits), found.Total, want, err)
	}
}

func TestExplanation(t *testing.T) {
	e := newEngine(t)
	e.Opened(projectA, entries("green tea with milk", "black coffee"))
	q := Query{Text: "the green tea house", Scopes: []memory.ScopeID{projectA}, Explain: true}
	r, err := e.Search(context.Background(), q)
	if err != nil || len(r.Hits) != 1 {
		t.Fatalf("%+v, %v", r, err)
	}
	x := r.Hits[0].Explanation
	if x == nil || x.Matched != 2 || x.Of != 3 || len(x.Terms) != 3 {
		t.Fatalf("explanation %+v", x)
	}
	sum := 0.0
	for _, term := range x.Terms {
		sum += term.Score
		if (term.Score > 0) != (term.Term != "hous") {
			t.Errorf("term %+v", term)
		}
	}
	if sum != x.Text || x.Proximity <= 0 || x.Ideal <= x.Text+x.Proximity {
		t.Errorf("terms give %v: %+v", sum, x)
	}
	q.Explain = false
	if r, _ := e.Search(context.Background(), q); r.Hits[0].Explanation != nil {
		t.Error("an explanation that nobody asked for")
	}
}

// The best passage of a long text decides, and is where the snippet is from.
func TestPassages(t *testing.T) {
	e := newEngine(t)
	filler := strings.Repeat("Nothing of interest happens in this sentence of the text. ", 60)
	e.Opened(projectA, entries(
		filler+"The gateway certificate is renewed by hand. "+filler,
		strings.Repeat("A certificate. "+filler[:600]+"A gateway. "+filler[:600], 3),
	))
	if got := ids(t, e, "gateway certificate"); !slices.Equal(got, []string{"0", "1"}) {
		t.Errorf("hits %v", got)
	}
	if n := len(e.scopes[projectA].docs["0"].passages); n < 10 {
		t.Errorf("%d passages", n)
	}
}
