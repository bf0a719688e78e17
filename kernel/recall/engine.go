package recall

import (
	"cmp"
	"context"
	"log/slog"
	"runtime"
	"slices"
	"sync"
	"time"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// DefaultDelay is how long the engine waits after a change before it indexes in
// the background, so that changes that follow one another share a batch: small ones
// are indexed again when they are merged, which is half of the work.
const DefaultDelay = time.Second

const (
	// soonDelay is how long it waits when there is much to do: a scope that was
	// opened, or so many changes that a search would have to wait.
	soonDelay = 50 * time.Millisecond
	manyItems = 256
)

// Options sets up an [Engine]. The zero value works.
type Options struct {
	// Now is the clock, for lifetimes and recency. Default time.Now.
	Now func() time.Time
	// Logger takes failures of indexing in the background. Default none.
	Logger *slog.Logger
	// Scopes are the kinds of scope that are indexed; others are ignored when
	// they are opened and empty when they are searched. Default all but the
	// profile, which agents get whole and never as a hit.
	Scopes []memory.Scope
	// Score weighs importance and recency. Default memory.DefaultScore.
	Score func() memory.Score
	// Delay is how long a change may wait for the background. Default
	// [DefaultDelay]; negative turns the background off, and the first search
	// after a change indexes it.
	Delay time.Duration
}

// Engine is the index of all scopes of this process. Its methods are safe for
// concurrent use.
type Engine struct {
	opts     Options
	analysis *index.AnalysisQueue
	wake     chan struct{} // holds at most one: something was queued
	soon     chan struct{} // holds at most one: much was
	stop     context.CancelFunc
	done     chan struct{} // closed when the background has ended

	mu     sync.RWMutex
	closed bool
	scopes map[memory.ScopeID]*scopeIndex
}

var _ memory.Observer = (*Engine)(nil)

// New returns an engine without documents. It must be closed.
func New(opts Options) *Engine {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Score == nil {
		opts.Score = func() memory.Score { return memory.DefaultScore }
	}
	if opts.Delay == 0 {
		opts.Delay = DefaultDelay
	}
	ctx, stop := context.WithCancel(context.Background())
	e := &Engine{
		opts:     opts,
		analysis: index.NewAnalysisQueue(runtime.GOMAXPROCS(0)),
		wake:     make(chan struct{}, 1),
		soon:     make(chan struct{}, 1),
		stop:     stop,
		done:     make(chan struct{}),
		scopes:   map[memory.ScopeID]*scopeIndex{},
	}
	go e.background(ctx)
	return e
}

// Close ends the background and frees the indexes. Searches fail from then on,
// and changes are ignored. It may be called more than once.
func (e *Engine) Close() error {
	e.mu.Lock()
	if e.closed {
		e.mu.Unlock()
		<-e.done
		return nil
	}
	e.closed = true
	scopes := e.scopes
	e.scopes = nil
	e.mu.Unlock()

	e.stop()
	<-e.done
	var err error
	for _, ix := range scopes {
		err = cmp.Or(err, ix.close())
	}
	e.analysis.Close()
	return err
}

// Opened takes the entries that a scope has now, in place of those that it had.
func (e *Engine) Opened(id memory.ScopeID, entries []*memory.Entry) {
	e.push(id, item{reset: true, entries: entries})
}

// Changed takes the steps of a change, in the order of the changes.
func (e *Engine) Changed(id memory.ScopeID, steps []memory.Step) {
	e.push(id, item{steps: steps})
}

// Closed drops the index of a scope. It waits for searches that read it.
func (e *Engine) Closed(id memory.ScopeID) {
	e.mu.Lock()
	ix := e.scopes[id]
	delete(e.scopes, id)
	e.mu.Unlock()
	if ix == nil {
		return
	}
	if err := ix.close(); err != nil {
		e.opts.Logger.Warn("the index of a scope was not closed", "scope", id.Scope, "err", err)
	}
}

func (e *Engine) indexed(s memory.Scope) bool {
	if e.opts.Scopes == nil {
		return s != memory.ScopeUser
	}
	return slices.Contains(e.opts.Scopes, s)
}

func (e *Engine) push(id memory.ScopeID, it item) {
	if !e.indexed(id.Scope) {
		return
	}
	waiting := 1
	e.mu.RLock()
	ix := e.scopes[id]
	if ix != nil {
		waiting = ix.queue.push(it)
	}
	e.mu.RUnlock()
	if ix == nil {
		e.mu.Lock()
		if !e.closed {
			ix = e.scopes[id]
			if ix == nil {
				ix = newScopeIndex(id, e.analysis)
				e.scopes[id] = ix
			}
			ix.queue.push(it)
		}
		e.mu.Unlock()
	}
	ring(e.wake)
	if it.reset || waiting >= manyItems {
		ring(e.soon)
	}
}

// ring leaves a sign, unless there is one.
func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// indexes returns the indexes of the ids, each once, in their locking order.
func (e *Engine) indexes(ids []memory.ScopeID) ([]*scopeIndex, error) {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return nil, memory.Errorf(memory.KindUnavailable, "recall", "recall is closed")
	}
	var list []*scopeIndex
	for _, id := range ids {
		if ix := e.scopes[id]; ix != nil && !slices.Contains(list, ix) {
			list = append(list, ix)
		}
	}
	slices.SortFunc(list, func(a, b *scopeIndex) int { return compareScopeIDs(a.id, b.id) })
	return list, nil
}

func compareScopeIDs(a, b memory.ScopeID) int {
	return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.UID, b.UID))
}
