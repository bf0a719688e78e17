package recall

import (
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
)

// Options sets up an [Engine]. The zero value works.
type Options struct {
	// Now is the clock, for lifetimes and recency. Default time.Now.
	Now func() time.Time
	// Score weighs importance and recency. Default memory.DefaultScore.
	Score func() memory.Score
	// Lifetimes says when the entries of a scope end. Default: as they say themselves.
	Lifetimes func(id memory.ScopeID) memory.Lifetimes
	// Look takes a second look by meaning, and is the engine's from then on. Default: none
	// is taken.
	Look *meaning.Look
	// Vectors is the file for the vectors of a scope; "": it has none. Default none.
	Vectors func(id memory.ScopeID) string
}

// Engine is the index of all scopes of this program. Its methods are safe for
// concurrent use.
type Engine struct {
	opts Options

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
	if opts.Score == nil {
		opts.Score = func() memory.Score { return memory.DefaultScore }
	}
	if opts.Lifetimes == nil {
		opts.Lifetimes = func(memory.ScopeID) (none memory.Lifetimes) { return none }
	}
	if opts.Vectors == nil {
		opts.Vectors = func(memory.ScopeID) string { return "" }
	}
	return &Engine{opts: opts, scopes: map[memory.ScopeID]*scopeIndex{}}
}

// Close frees the indexes. Searches fail from then on, and changes are ignored. It may be called more than once.
func (e *Engine) Close() error {
	e.opts.Look.Close()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, ix := range e.scopes {
		ix.vectors.Close()
	}
	e.closed, e.scopes = true, nil
	return nil
}

// Look is what takes the second look, or nil.
func (e *Engine) Look() *meaning.Look { return e.opts.Look }

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
	defer e.mu.Unlock()
	if e.closed {
		return
	}
	if e.scopes[id] == nil {
		e.scopes[id] = newScopeIndex(id)
		e.scopes[id].vectors.Path = e.opts.Vectors(id)
	}
	add(&e.scopes[id].queue)
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
