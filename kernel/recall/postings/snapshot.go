package postings

import (
	"errors"
	"sync/atomic"
)

// files is what is in the folder at one moment. It is shared: each user releases
// it once.
type files struct {
	segments []*segment // ascending, without gaps
	rows     *mapping   // nil: no documents
	docs     uint32     // that are there
	refs     atomic.Int32
}

// newFiles takes hold of the segments and rows for as long as it is in use.
func newFiles(segments []*segment, rows *mapping, docs uint32) *files {
	for _, s := range segments {
		s.refs.Add(1)
	}
	f := &files{segments: segments, rows: rows.acquire(), docs: docs}
	f.refs.Store(1)
	return f
}

func (f *files) acquire() *files {
	f.refs.Add(1)
	return f
}

func (f *files) release() {
	if f.refs.Add(-1) != 0 {
		return
	}
	for _, s := range f.segments {
		s.release()
	}
	f.rows.release()
}

// state is an index at one moment. It never changes.
type state struct {
	rowSize  int
	files    *files
	tail     *tail
	tailRows []byte
	docs     uint32
}

func emptyState(opts *Options) *state {
	return &state{rowSize: opts.RowSize, files: newFiles(nil, nil, 0), tail: newTail(opts, 0)}
}

// with returns a state with more documents. Their rows follow those that older
// states see, and so change nothing of them.
func (s state) with(docs []Document) *state {
	s.tail.add(s.docs, docs)
	for i := range docs {
		s.tailRows = append(s.tailRows, docs[i].Row...)
	}
	s.docs += uint32(len(docs))
	return &s
}

// Snapshot is an index at one moment. Its methods are safe for concurrent use.
type Snapshot struct {
	*state
	closed   atomic.Bool
	onDamage func()
}

// Docs is how many documents there are.
func (s *Snapshot) Docs() uint32 { return s.docs }

// Row is the row of a document. It must not be changed, nor be used after Close.
func (s *Snapshot) Row(doc uint32) []byte {
	rows, at := s.tailRows, int(doc-s.files.docs)*s.rowSize
	if doc < s.files.docs {
		rows, at = s.files.rows.data, int(doc)*s.rowSize
	}
	return rows[at : at+s.rowSize : at+s.rowSize]
}

// Each calls yield with every document that has the term, ascending, with how
// often it has it and the length of the field, until yield returns false.
func (s *Snapshot) Each(term string, field int, yield func(doc, freq, length uint32) bool) error {
	err := s.each(term, field, yield)
	if err == nil {
		return nil
	}
	// Segments are mapped: whatever their decoder complains of is damage.
	s.onDamage()
	if !errors.Is(err, ErrCorrupt) {
		err = damaged("%v", err)
	}
	return err
}

func (s *state) each(term string, field int, yield func(doc, freq, length uint32) bool) error {
	h := hitsPool.Get().(*hits)
	defer hitsPool.Put(h)
	for _, seg := range s.files.segments {
		c, err := seg.cursor(term, field)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if more, err := h.each(c, yield); err != nil || !more {
			return err
		}
	}
	r := s.tail.list(term, field)
	for r.read() && s.tail.base+r.at < s.docs && yield(s.tail.base+r.at, r.freq, r.length) {
	}
	return nil
}

// Close ends the snapshot. It may be called more than once.
func (s *Snapshot) Close() {
	if !s.closed.Swap(true) {
		s.files.release()
	}
}
