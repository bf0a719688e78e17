package store_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// disk keeps scopes such that they outlive their providers.
type disk struct {
	mu     sync.Mutex
	scopes map[memory.ScopeID]*ram.Provider
	open   map[memory.ScopeID]bool
	most   int // that were open at once
}

// onDisk is an open scope of a disk. It must not be used after it was closed.
type onDisk struct {
	*ram.Provider
	disk   *disk
	id     memory.ScopeID
	closed atomic.Bool
}

func (d *disk) openScope(_ context.Context, id memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open[id] {
		return nil, errors.New("opened twice")
	}
	if d.scopes[id] == nil {
		d.scopes[id] = ram.Open(ram.Options{Hooks: h})
	}
	d.open[id] = true
	d.most = max(d.most, len(d.open))
	return &onDisk{Provider: d.scopes[id], disk: d, id: id}, nil
}

func (p *onDisk) Volatile() bool { return false }

func (p *onDisk) Apply(ctx context.Context, ch memory.Change) (memory.Result, error) {
	if p.closed.Load() {
		return memory.Result{}, errors.New("used after it was closed")
	}
	res, err := p.Provider.Apply(ctx, ch)
	if p.closed.Load() {
		return res, errors.New("closed while it was used")
	}
	return res, err
}

func (p *onDisk) Close() error {
	p.closed.Store(true)
	p.disk.mu.Lock()
	defer p.disk.mu.Unlock()
	delete(p.disk.open, p.id)
	return nil
}

func newDisk(most int, policies memory.Policies) (*disk, *store.Store) {
	d := &disk{scopes: map[memory.ScopeID]*ram.Provider{}, open: map[memory.ScopeID]bool{}}
	var n atomic.Int64
	s := store.New(store.Options{
		Open: d.openScope, Scanner: wordScanner{}, MaxOpen: most,
		Policies: func(context.Context, uint32, string) memory.Policies { return policies },
		NewID:    func() string { return fmt.Sprintf("id-%d", n.Add(1)) },
	})
	return d, s
}

func projectNumber(i int) memory.ScopeID {
	return memory.ScopeID{Scope: memory.ScopeProject, Owner: fmt.Sprintf("/p%d", i)}
}

// TestClosing races requests on many scopes with the closing of those that nobody
// uses: no provider is used after it was closed, two are never open for one scope,
// and all that was acknowledged is there.
func TestClosing(t *testing.T) {
	const scopes, writers, each, most = 40, 8, 100, 5
	d, s := newDisk(most, memory.DefaultPolicies())
	var added [scopes]atomic.Int64
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(1, uint64(w)))
			for range each {
				i := r.IntN(scopes)
				text := "a text"
				switch r.IntN(10) {
				case 0:
					s.CloseIdle(time.Now())
				case 1:
					if err := s.Drop(projectNumber(i)); err != nil {
						t.Error(err)
					}
				case 2:
					free, err := s.Hold(t.Context(), projectNumber(i))
					if err != nil {
						t.Error(err)
						continue
					}
					if _, err := s.Reader(projectNumber(i)).Load(t.Context()); err != nil {
						t.Error(err)
					}
					free()
				default:
					req := store.Request{Action: "add", Values: store.Values{Content: &text}}
					if _, err := s.Do(t.Context(), memory.Caller{}, projectNumber(i), req); err != nil {
						t.Error(err)
					}
					added[i].Add(1)
				}
			}
		})
	}
	wg.Wait()
	if d.most > most+2*writers {
		t.Errorf("%d scopes were open at once, want about %d", d.most, most)
	}
	if n := len(s.Open()); n > most {
		t.Errorf("%d scopes stay open, want %d at most", n, most)
	}
	for i := range scopes {
		if v, err := s.Reader(projectNumber(i)).Load(t.Context()); err != nil || int64(len(v.Entries)) != added[i].Load() {
			t.Errorf("scope %d has %d entries, %d were acknowledged: %v", i, len(v.Entries), added[i].Load(), err)
		}
	}
	s.CloseIdle(time.Now().Add(time.Hour))
	if n := len(s.Open()); n != 0 || len(d.open) != 0 {
		t.Errorf("%d scopes are open, %d providers", n, len(d.open))
	}
}

// TestCrowd: a user who opens many scopes closes none of another's, and what they keep
// in RAM is bounded.
func TestCrowd(t *testing.T) {
	const most = 2
	d, s := newDisk(most, memory.DefaultPolicies())
	mine := memory.ScopeID{Scope: memory.ScopeProject, Owner: "/mine", UID: 1}
	load := func(id memory.ScopeID) {
		if _, err := s.Reader(id).Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	load(mine)
	for i := range 20 {
		theirs := projectNumber(i)
		theirs.UID = 2
		load(theirs)
	}
	if !d.open[mine] || len(d.open) != 1+most {
		t.Errorf("open: %v", d.open)
	}
	s = store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		Scanner: wordScanner{}, MaxOpen: most, NewID: func() string { return fmt.Sprint(time.Now().UnixNano()) },
	})
	defer s.Close()
	for i := range 20 * most {
		text := "a fact"
		id := memory.ScopeID{Scope: memory.ScopeSession, Owner: fmt.Sprint("s", i), UID: 2}
		if _, err := s.Do(t.Context(), memory.Caller{UID: 2}, id, store.Request{Action: "add", Values: store.Values{Content: &text}}); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(s.Open()); n != 16*most {
		t.Errorf("%d sessions are in RAM", n)
	}
}

// TestSweep removes what has expired though nobody writes, and says so in the history.
func TestSweep(t *testing.T) {
	t.Run("open", func(t *testing.T) { testSweep(t, false) })
	t.Run("closed", func(t *testing.T) { testSweep(t, true) })
}

func testSweep(t *testing.T, closed bool) {
	_, s := newDisk(0, memory.DefaultPolicies())
	text, ttl := "gone soon", "1s" // enough to close the scope before
	reply, err := s.Do(t.Context(), memory.Caller{}, project, store.Request{Action: "add", TTL: &ttl, Values: store.Values{Content: &text}})
	if err != nil {
		t.Fatal(err)
	}
	if closed {
		s.CloseIdle(time.Now().Add(time.Hour))
	}
	time.Sleep(time.Second)
	if err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	recs, err := s.Reader(project).History(t.Context(), memory.Match{ID: reply.ID})
	if err != nil || len(recs) != 2 || recs[1].Action != memory.ActionExpire || recs[1].Actor.Road != "sweep" {
		t.Errorf("%+v, %v", recs, err)
	}
}

// TestDrop ends a session: what it held in RAM is gone, and was bounded by entries
// and by a lifetime.
func TestDrop(t *testing.T) {
	table := memory.DefaultPolicies()
	s := store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		Scanner: wordScanner{}, MaxOpen: 1, NewID: func() string { return fmt.Sprint(time.Now().UnixNano()) },
	})
	defer s.Close()
	caller := memory.Caller{UID: 7, Session: "one"}
	id, err := s.Resolve(t.Context(), caller, memory.ScopeSession)
	if err != nil || id.Owner != "one" {
		t.Fatal(id, err)
	}
	for i := range table[memory.ScopeSession].Entries + 1 {
		text := fmt.Sprint("fact ", i)
		if _, err := s.Do(t.Context(), caller, id, store.Request{Action: "add", Values: store.Values{Content: &text}}); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 3 { // other scopes don't push it out of RAM
		if _, err := s.Reader(projectNumber(i)).Load(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	v, err := s.Reader(id).Load(t.Context())
	if err != nil || len(v.Entries) != 50 || v.Entries[0].Content != "fact 1" {
		t.Fatalf("%d entries, %v", len(v.Entries), err)
	}
	if err := s.Drop(id); err != nil {
		t.Fatal(err)
	}
	if v, err := s.Reader(id).Load(t.Context()); err != nil || len(v.Entries) != 0 {
		t.Errorf("after the session: %d entries, %v", len(v.Entries), err)
	}
}
