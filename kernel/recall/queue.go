package recall

import (
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// queue holds what an index was told of and has not taken in: of each entry the last
// change, so that it is no larger than the scope.
type queue struct {
	mu      sync.Mutex
	changed map[string]*memory.Entry // by id; nil: it is gone
	reset   bool                     // an entry that changed does not name is gone
}

// reopen puts all entries that a scope has in the place of what waits.
func (q *queue) reopen(entries []*memory.Entry) {
	changed := make(map[string]*memory.Entry, len(entries))
	for _, e := range entries {
		changed[e.ID] = e
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changed, q.reset = changed, true
}

// push adds the steps of a change.
func (q *queue) push(steps []memory.Step) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.changed == nil {
		q.changed = map[string]*memory.Entry{}
	}
	for _, s := range steps {
		switch {
		case s.After != nil:
			q.changed[s.After.ID] = s.After
		case q.reset:
			delete(q.changed, s.Before.ID)
		default:
			q.changed[s.Before.ID] = nil
		}
	}
}

// take returns what waits, of which nothing waits any more.
func (q *queue) take() (changed map[string]*memory.Entry, reset bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	changed, reset = q.changed, q.reset
	q.changed, q.reset = nil, false
	return changed, reset
}
