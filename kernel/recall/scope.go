package recall

import (
	"cmp"
	"maps"
	"slices"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/meaning"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// scopeIndex is the index of one scope, in memory.
type scopeIndex struct {
	id      memory.ScopeID
	queue   queue
	vectors meaning.Index

	mu       sync.RWMutex
	closed   bool
	docs     map[string]*document // by the entry's id
	postings *postings.Index      // nil: no entry was ever there
	passages []entryPassage       // by their numbers in postings
	live     int                  // passages of entries that are there
	total    [fieldCount]int64    // Σ lengths of the live passages
}

func newScopeIndex(id memory.ScopeID) *scopeIndex {
	return &scopeIndex{id: id, docs: map[string]*document{}}
}

func (ix *scopeIndex) close() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.closed = true
	ix.vectors.Close()
}

// drain takes in all that was queued when it was called.
func (ix *scopeIndex) drain() error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	changed, reset := ix.queue.take()
	if ix.closed {
		return nil
	}
	if reset {
		for id := range ix.docs {
			if changed[id] == nil {
				ix.remove(id)
			}
		}
	}
	var fresh []*document
	for _, id := range slices.Sorted(maps.Keys(changed)) {
		if e := changed[id]; e == nil {
			ix.remove(id)
		} else if d := ix.replace(e); d != nil {
			fresh = append(fresh, d)
		}
	}
	if len(ix.passages) > 2*ix.live+minDead {
		return ix.rebuild()
	}
	return ix.write(fresh)
}

const (
	minDead   = 1024 // passages that are gone and that an index may always carry
	writeStep = 1024 // entries that are analysed at a time
)

// rebuild makes the postings anew, without what is gone.
func (ix *scopeIndex) rebuild() error {
	ix.vectors.Renumber()
	ix.postings, ix.passages, ix.live, ix.total = nil, nil, 0, [fieldCount]int64{}
	docs := slices.Collect(maps.Values(ix.docs))
	for _, d := range docs {
		d.passages = nil
	}
	return ix.write(docs)
}

// replace makes e the entry with its id, and returns it when it has to be indexed.
// A change of what is not searched costs nothing.
func (ix *scopeIndex) replace(e *memory.Entry) *document {
	d := newDocument(e)
	if old := ix.docs[e.ID]; old != nil && old.texts == d.texts {
		old.entry, old.updated = d.entry, d.updated
		return nil
	}
	ix.remove(e.ID)
	ix.docs[e.ID] = d
	return d
}

// remove forgets an entry. Its postings stay until the index is made anew.
func (ix *scopeIndex) remove(id string) {
	d := ix.docs[id]
	if d == nil {
		return
	}
	delete(ix.docs, id)
	for _, n := range d.passages {
		for f, length := range ix.passages[n].lengths {
			ix.total[f] -= int64(length)
		}
		ix.passages[n] = entryPassage{}
		ix.live--
	}
}

// write analyses entries and appends their passages.
func (ix *scopeIndex) write(fresh []*document) error {
	for part := range slices.Chunk(fresh, writeStep) {
		if err := ix.writePart(part); err != nil {
			return err
		}
	}
	return nil
}

func (ix *scopeIndex) writePart(fresh []*document) error {
	if ix.postings == nil {
		p, err := postings.Open(postings.Options{Fields: fieldNames[:]})
		if err != nil {
			return err
		}
		ix.postings = p
	}
	cut, docs := make([][]entryPassage, len(fresh)), make([][]postings.Document, len(fresh))
	parallel(len(fresh), func(i int) { cut[i], docs[i] = fresh[i].analyze() })
	if _, err := ix.postings.Append(slices.Concat(docs...)); err != nil {
		return err
	}
	for i, d := range fresh {
		for _, p := range cut[i] {
			d.passages = append(d.passages, uint32(len(ix.passages)))
			ix.passages = append(ix.passages, p)
			ix.live++
			for f, length := range p.lengths {
				ix.total[f] += int64(length)
			}
		}
	}
	return nil
}

func compareScopeIDs(a, b memory.ScopeID) int {
	return cmp.Or(cmp.Compare(a.Scope, b.Scope), cmp.Compare(a.Owner, b.Owner), cmp.Compare(a.UID, b.UID),
		cmp.Compare(a.Folder.Dev, b.Folder.Dev), cmp.Compare(a.Folder.Ino, b.Folder.Ino))
}
