package recall

import (
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// change is what becomes of one entry. A nil after removes it.
type change struct {
	id    string
	after *memory.Entry
}

// queue holds the changes that an index was told of and has not taken in.
type queue struct {
	mu      sync.Mutex
	changes []change
	reset   bool // an entry that no change names is gone
}

// reopen puts all entries that a scope has in the place of what waits.
func (q *queue) reopen(entries []*memory.Entry) {
	changes := make([]change, len(entries))
	for i, e := range entries {
		changes[i] = change{e.ID, e}
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.changes, q.reset = changes, true
}

// push adds the steps of a change.
func (q *queue) push(steps []memory.Step) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range steps {
		if s.After != nil {
			q.changes = append(q.changes, change{s.After.ID, s.After})
		} else if s.Before != nil {
			q.changes = append(q.changes, change{s.Before.ID, nil})
		}
	}
}

// waiting is how many changes wait, and one for a reset.
func (q *queue) waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reset {
		return len(q.changes) + 1
	}
	return len(q.changes)
}

// take returns the next changes, in order, of about maxBytes of content and at
// least one if there is any. After a reset, keep names the entries that may still
// be there; otherwise it is nil.
func (q *queue) take(maxBytes int) (changes []change, keep map[string]bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.reset {
		q.reset = false
		keep = make(map[string]bool, len(q.changes))
		for _, c := range q.changes {
			keep[c.id] = true
		}
	}
	n := 0
	for size := 0; n < len(q.changes) && size < maxBytes; n++ {
		if e := q.changes[n].after; e != nil {
			size += len(e.Content) + len(e.Key)
		}
	}
	changes = q.changes[:n:n]
	if q.changes = q.changes[n:]; len(q.changes) == 0 {
		q.changes = nil
	}
	return changes, keep
}
