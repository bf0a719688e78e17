package recall

import (
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// item is one call of the observer, kept as it came. Its slices are not copied:
// providers never change what they handed out.
type item struct {
	reset   bool // entries replace all that was there
	entries []*memory.Entry
	steps   []memory.Step
}

// change is what becomes of one entry. A nil after removes it.
type change struct {
	id    string
	after *memory.Entry
}

// queue holds what an index was told and has not taken in.
type queue struct {
	mu     sync.Mutex
	items  []item
	pushed int // items ever
}

// push returns how many items wait.
func (q *queue) push(it item) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	if it.reset {
		q.items = nil // what came before is overruled
	}
	q.items = append(q.items, it)
	q.pushed++
	return len(q.items)
}

// mark is the number of the last item.
func (q *queue) mark() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pushed
}

// passed reports whether all items up to the mark were taken.
func (q *queue) passed(mark int) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pushed-len(q.items) >= mark
}

func (q *queue) empty() bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.items) == 0
}

// take returns the next changes, in order, of about maxBytes of content and at
// least one if there is any. When they begin with a reset, keep says which ids
// there are after it; otherwise keep is nil. Only the first item can be a reset.
func (q *queue) take(maxBytes int) (changes []change, keep map[string]bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.items) > 0 && q.items[0].reset {
		keep = make(map[string]bool, len(q.items[0].entries))
		for _, e := range q.items[0].entries {
			keep[e.ID] = true
		}
		q.items[0].reset = false
	}
	size := 0
	defer q.trim()
	for len(q.items) > 0 && size < maxBytes {
		it := &q.items[0]
		switch {
		case len(it.entries) > 0:
			e := it.entries[0]
			it.entries = it.entries[1:]
			changes = append(changes, change{e.ID, e})
			size += cost(e)
		case len(it.steps) > 0:
			s := it.steps[0]
			it.steps = it.steps[1:]
			if s.After != nil {
				changes = append(changes, change{s.After.ID, s.After})
				size += cost(s.After)
			} else if s.Before != nil {
				changes = append(changes, change{s.Before.ID, nil})
			}
		default:
			q.items = q.items[1:]
		}
	}
	return changes, keep
}

// trim drops the items that were taken to their end.
func (q *queue) trim() {
	for len(q.items) > 0 && len(q.items[0].entries) == 0 && len(q.items[0].steps) == 0 {
		q.items = q.items[1:]
	}
	if len(q.items) == 0 {
		q.items = nil
	}
}

// cost is what an entry counts towards the bytes of a batch.
func cost(e *memory.Entry) int { return len(e.Content) + len(e.Key) + 64 }
