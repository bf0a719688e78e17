package postings

import (
	"context"
	"maps"
	"slices"
	"sync"
)

// posting is one slot of a term.
type posting struct {
	slot      uint32
	positions []uint32
}

// inMemory is the plain index: maps and slices. It is the measure of what the
// real one must answer, too.
type inMemory struct {
	opts Options

	mu   sync.Mutex
	now  inMemoryState
	mark []byte
}

type inMemoryState struct {
	opts    *Options
	terms   []map[string][]posting // by field
	rows    [][]byte
	lengths [][]uint32 // by slot
	deleted map[uint32]bool
	total   []uint64 // by field
}

func newInMemory(opts Options) *inMemory {
	ix := &inMemory{opts: opts}
	ix.now = inMemoryState{opts: &ix.opts, deleted: map[uint32]bool{}, total: make([]uint64, len(opts.Fields))}
	for range opts.Fields {
		ix.now.terms = append(ix.now.terms, map[string][]posting{})
	}
	return ix
}

func (ix *inMemory) Append(docs []Document) (uint32, error) {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	first := uint32(len(ix.now.rows))
	for f := range ix.now.terms {
		ix.now.terms[f] = maps.Clone(ix.now.terms[f]) // snapshots keep the old one
	}
	for i, d := range docs {
		for f, terms := range d.Fields {
			for _, t := range terms {
				ix.now.terms[f][t.Text] = append(ix.now.terms[f][t.Text], posting{first + uint32(i), t.Positions})
			}
			ix.now.total[f] += uint64(d.Lengths[f])
		}
		ix.now.rows = append(ix.now.rows, d.Row)
		ix.now.lengths = append(ix.now.lengths, d.Lengths)
	}
	return first, nil
}

func (ix *inMemory) Delete(slots []uint32) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.now.deleted = maps.Clone(ix.now.deleted)
	for _, s := range slots {
		if s < uint32(len(ix.now.rows)) && !ix.now.deleted[s] {
			ix.now.deleted[s] = true
			for f, n := range ix.now.lengths[s] {
				ix.now.total[f] -= uint64(n)
			}
		}
	}
	return nil
}

func (ix *inMemory) Flush(mark []byte) error {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.mark = slices.Clone(mark)
	return nil
}

func (ix *inMemory) Mark() []byte {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return ix.mark
}

func (ix *inMemory) Snapshot() Snapshot {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	s := ix.now
	s.terms = slices.Clone(s.terms)
	s.total = slices.Clone(s.total)
	return &s
}

func (ix *inMemory) Verify(context.Context) error { return nil }
func (ix *inMemory) Close() error                 { return nil }

var _ Index = (*inMemory)(nil)

func (s *inMemoryState) Slots() uint32                        { return uint32(len(s.rows)) }
func (s *inMemoryState) Live() uint32                         { return uint32(len(s.rows) - len(s.deleted)) }
func (s *inMemoryState) Deleted(slot uint32) bool             { return s.deleted[slot] }
func (s *inMemoryState) Row(slot uint32) []byte               { return s.rows[slot] }
func (s *inMemoryState) Length(slot uint32, field int) uint32 { return s.lengths[slot][field] }
func (s *inMemoryState) Total(field int) uint64               { return s.total[field] }
func (s *inMemoryState) Close()                               {}

func (s *inMemoryState) Each(term string, field int, positions bool, yield func(uint32, uint32, []uint32) bool) error {
	for _, p := range s.terms[field][term] {
		if s.deleted[p.slot] {
			continue
		}
		var at []uint32
		if positions && !s.opts.bare(field) {
			at = p.positions
		}
		if !yield(p.slot, uint32(len(p.positions)), at) {
			break
		}
	}
	return nil
}

func (s *inMemoryState) EachLength(term string, field int, yield func(slot, freq, length uint32) bool) error {
	return s.Each(term, field, false, func(slot, freq uint32, _ []uint32) bool {
		return yield(slot, freq, s.Length(slot, field))
	})
}

func (s *inMemoryState) slots() int { return len(s.rows) }

// clone is a copy to go on with.
func (ix *inMemory) clone() *inMemory {
	out := newInMemory(ix.opts)
	for f, terms := range ix.now.terms {
		for term, list := range terms {
			out.now.terms[f][term] = slices.Clone(list)
		}
	}
	out.now.rows, out.now.lengths = slices.Clone(ix.now.rows), slices.Clone(ix.now.lengths)
	out.now.deleted, out.now.total = maps.Clone(ix.now.deleted), slices.Clone(ix.now.total)
	out.mark = slices.Clone(ix.mark)
	return out
}
