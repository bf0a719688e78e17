package recall

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// DefaultDelay is how long the engine waits after a change before it indexes in
// the background, so that changes that follow one another share a batch.
const DefaultDelay = 50 * time.Millisecond

// Options sets up an [Engine]. The zero value works.
type Options struct {
	// Now is the clock, for lifetimes and recency. Default time.Now.
	Now func() time.Time
	// Logger takes failures of indexing in the background. Default none.
	Logger *slog.Logger
	// Score weighs importance and recency. Default memory.DefaultScore.
	Score func() memory.Score
	// Delay is how long a change may wait for the background. Default
	// [DefaultDelay]; negative turns the background off, and the first search
	// after a change indexes it.
	Delay time.Duration
}

// Engine is the index of all scopes of this program. Its methods are safe for
// concurrent use.
type Engine struct {
	opts Options
	wake chan struct{} // holds at most one: something was queued
	stop context.CancelFunc
	done chan struct{} // closed when the background has ended

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
		opts: opts, wake: make(chan struct{}, 1), stop: stop, done: make(chan struct{}),
		scopes: map[memory.ScopeID]*scopeIndex{},
	}
	go e.background(ctx)
	return e
}

// Close ends the background and frees the indexes. Searches fail from then on,
// and changes are ignored. It may be called more than once.
func (e *Engine) Close() error {
	e.mu.Lock()
	e.closed, e.scopes = true, nil
	e.mu.Unlock()
	e.stop()
	<-e.done
	return nil
}

// Opened takes the entries that a scope has now, in place of those that it had.
func (e *Engine) Opened(id memory.ScopeID, entries []*memory.Entry) {
	e.queue(id, func(q *queue) { q.reopen(entries) })
}

// Changed takes the steps of a change, in the order of the changes.
func (e *Engine) Changed(id memory.ScopeID, steps []memory.Step) {
	e.queue(id, func(q *queue) { q.push(steps) })
}

// Closed drops the index of a scope. It waits for searches that read it.
func (e *Engine) Closed(id memory.ScopeID) {
	e.mu.Lock()
	ix := e.scopes[id]
	delete(e.scopes, id)
	e.mu.Unlock()
	if ix != nil {
		ix.close()
	}
}

// queue adds to what waits for the index of a scope. The profile has none: agents
// get it whole and never as a hit.
func (e *Engine) queue(id memory.ScopeID, add func(*queue)) {
	if id.Scope == memory.ScopeUser {
		return
	}
	e.mu.Lock()
	if !e.closed {
		if e.scopes[id] == nil {
			e.scopes[id] = newScopeIndex(id)
		}
		add(&e.scopes[id].queue)
	}
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
}

// background drains the queues some time after each change, until ctx ends.
func (e *Engine) background(ctx context.Context) {
	defer close(e.done)
	if e.opts.Delay < 0 {
		return
	}
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(e.opts.Delay):
		}
		e.drainAll(ctx)
	}
}

func (e *Engine) drainAll(ctx context.Context) {
	e.mu.RLock()
	list := slices.Collect(maps.Values(e.scopes))
	e.mu.RUnlock()
	for _, ix := range list {
		if err := ix.drain(ctx); !errors.Is(err, context.Canceled) {
			ix.failures.Report(e.opts.Logger, "recall: index", err, slog.String("scope", string(ix.id.Scope)))
		}
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
