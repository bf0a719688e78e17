package recall

import (
	"cmp"
	"context"
	"errors"
	"sync"

	index "github.com/blevesearch/bleve_index_api"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxBatchBytes bounds the content that is indexed at a time: bleve holds a
// multiple of it while it builds a segment.
const maxBatchBytes = 4 << 20

// scopeIndex is the index of one scope.
type scopeIndex struct {
	id       memory.ScopeID
	analysis *index.AnalysisQueue
	queue    queue

	mu       sync.RWMutex
	closed   bool
	postings *entryPostings       // nil: to be built from docs
	docs     map[string]*document // by id
	slots    []passage
	free     []uint32          // slots without a passage
	total    [fieldCount]int64 // Σ lengths of all passages
}

func newScopeIndex(id memory.ScopeID, q *index.AnalysisQueue) *scopeIndex {
	return &scopeIndex{id: id, analysis: q, docs: map[string]*document{}}
}

// size is the number of passages.
func (ix *scopeIndex) size() int { return len(ix.slots) - len(ix.free) }

func (ix *scopeIndex) close() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
	return ix.dropPostings()
}

func (ix *scopeIndex) dropPostings() error {
	p := ix.postings
	ix.postings = nil
	if p == nil {
		return nil
	}
	return p.close()
}

// drain takes in all that was queued when it was called. Between batches it
// looks at ctx; what it did not come to stays queued.
func (ix *scopeIndex) drain(ctx context.Context) error {
	if ix.queue.empty() && ix.ready() {
		return nil
	}
	mark := ix.queue.mark()
	ix.mu.Lock()
	defer ix.mu.Unlock()
	for !ix.closed {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := ix.build(); err != nil {
			return err
		}
		if ix.queue.passed(mark) {
			return nil
		}
		changes, keep := ix.queue.take(maxBatchBytes)
		if err := ix.take(changes, keep); err != nil {
			// bleve's index is in doubt; the documents are not.
			return errors.Join(err, ix.dropPostings())
		}
	}
	return nil
}

// ready reports whether nothing has to be built anew.
func (ix *scopeIndex) ready() bool {
	ix.mu.RLock()
	defer ix.mu.RUnlock()
	return ix.closed || ix.postings != nil || len(ix.docs) == 0
}

// build makes the postings from the documents when there are none.
func (ix *scopeIndex) build() error {
	if ix.postings != nil || len(ix.docs) == 0 {
		return nil
	}
	docs := ix.docs
	ix.docs, ix.slots, ix.free, ix.total = map[string]*document{}, nil, nil, [fieldCount]int64{}
	changes := make([]change, 0, len(docs))
	for id, d := range docs {
		changes = append(changes, change{id, d.entry})
	}
	if err := ix.take(changes, nil); err != nil {
		ix.docs = docs
		return errors.Join(err, ix.dropPostings())
	}
	return nil
}

// take makes the changes part of the index. The last change of an entry counts.
// With keep, documents whose id is not there are removed first.
func (ix *scopeIndex) take(changes []change, keep map[string]bool) error {
	last := make(map[string]*memory.Entry, len(changes))
	order := make([]string, 0, len(changes))
	for _, c := range changes {
		if _, seen := last[c.id]; !seen {
			order = append(order, c.id)
		}
		last[c.id] = c.after
	}
	b := newBatch()
	if keep != nil {
		for id := range ix.docs {
			if !keep[id] {
				ix.remove(b, id)
			}
		}
	}
	var fresh []*document
	for _, id := range order {
		if e := last[id]; e == nil {
			ix.remove(b, id)
		} else if d := ix.replace(b, e); d != nil {
			fresh = append(fresh, d)
		}
	}
	return ix.write(b, fresh)
}

// replace makes e the document with its id, and returns it when it has to be
// indexed. A change of what is not searched costs nothing.
func (ix *scopeIndex) replace(b batch, e *memory.Entry) *document {
	d := entryDocument(e)
	if old := ix.docs[d.id]; old != nil && old.texts == d.texts {
		old.entry, old.updated = d.entry, d.updated
		return nil
	}
	ix.remove(b, d.id)
	ix.docs[d.id] = d
	return d
}

// remove forgets a document and frees its slots.
func (ix *scopeIndex) remove(b batch, id string) {
	d := ix.docs[id]
	if d == nil {
		return
	}
	delete(ix.docs, id)
	for _, slot := range d.slots {
		b.drop(slot)
		for f, n := range ix.slots[slot].lengths {
			ix.total[f] -= int64(n)
		}
		ix.slots[slot] = passage{}
		ix.free = append(ix.free, slot)
	}
}

// write analyses the documents, gives them slots and applies the batch.
func (ix *scopeIndex) write(b batch, fresh []*document) error {
	for i, passages := range analyzeAll(fresh) {
		for k := range passages {
			slot := ix.slot()
			ix.slots[slot] = passages[k].passage
			for f, n := range passages[k].lengths {
				ix.total[f] += int64(n)
			}
			fresh[i].slots = append(fresh[i].slots, slot)
			b.put(slot, &passages[k])
		}
	}
	if ix.postings == nil {
		p, err := openPostings(ix.analysis)
		if err != nil {
			return err
		}
		ix.postings = p
	}
	return cmp.Or(ix.postings.apply(b), ix.compact())
}

func (ix *scopeIndex) slot() uint32 {
	if n := len(ix.free); n > 0 {
		slot := ix.free[n-1]
		ix.free = ix.free[:n-1]
		return slot
	}
	ix.slots = append(ix.slots, passage{})
	return uint32(len(ix.slots) - 1)
}

// analyzeAll returns the passages of each document, worked out on all cores.
func analyzeAll(docs []*document) [][]analyzed {
	out := make([][]analyzed, len(docs))
	parallel(len(docs), func(i int) { out[i] = docs[i].passages() })
	return out
}
