package postings

import (
	"errors"
	"sync/atomic"
)

// files is what is in the folder at one moment. It is shared: each user releases
// it once.
type files struct {
	segments []*segment // ascending
	rows     *mapping   // nil: no slots
	slots    uint32     // that have their row there
	refs     atomic.Int32
}

// newFiles takes hold of the segments and rows for as long as it is in use.
func newFiles(segments []*segment, rows *mapping, slots uint32) *files {
	for _, s := range segments {
		s.refs.Add(1)
	}
	f := &files{segments: segments, rows: rows.acquire(), slots: slots}
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
	opts     *Options
	files    *files
	tail     *tail
	tailRows []byte // records of the tail's slots
	slots    uint32
	dead     *deadSet
	totals   []uint64
}

func emptyState(opts *Options) *state {
	return &state{
		opts: opts, files: newFiles(nil, nil, 0), tail: newTail(opts, 0),
		totals: make([]uint64, len(opts.Fields)),
	}
}

func (s *state) Slots() uint32            { return s.slots }
func (s *state) Live() uint32             { return s.slots - s.dead.count() }
func (s *state) Deleted(slot uint32) bool { return s.dead.has(slot) }
func (s *state) Total(field int) uint64   { return s.totals[field] }

func (s *state) record(slot uint32) []byte {
	size := s.opts.recordSize()
	if slot < s.files.slots {
		at := int(slot) * size
		return s.files.rows.data[at : at+size : at+size]
	}
	at := int(slot-s.files.slots) * size
	return s.tailRows[at : at+size : at+size]
}

func (s *state) Row(slot uint32) []byte {
	return s.record(slot)[:s.opts.RowSize:s.opts.RowSize]
}

func (s *state) Length(slot uint32, field int) uint32 {
	return s.opts.length(s.record(slot), field)
}

// each goes through the postings of a term until a batch of them is refused.
func (s *state) each(term string, field int, positions bool, take func(*hits) bool) error {
	h := hitsPool.Get().(*hits)
	defer hitsPool.Put(h)
	for _, seg := range s.files.segments {
		c, err := seg.cursor(term, field, s.opts.bare(field), positions)
		if err != nil {
			return err
		}
		if c == nil {
			continue
		}
		if more, err := run(c, h, take); err != nil || !more {
			return err
		}
	}
	if c := s.tail.cursor(term, field, s.slots, positions); c != nil {
		_, err := run(c, h, take)
		return err
	}
	return nil
}

// run goes through one cursor and reports whether to go on.
func run(c cursor, h *hits, take func(*hits) bool) (bool, error) {
	for {
		if err := c.next(h); err != nil || h.n == 0 {
			return true, err
		}
		if !take(h) {
			return false, nil
		}
		if h.n < batchHits {
			return true, nil
		}
	}
}

// snapshot is a state that keeps its files.
type snapshot struct {
	*state
	closed   atomic.Bool
	onDamage func(error)
}

var _ Snapshot = (*snapshot)(nil)

func (s *snapshot) Each(term string, field int, positions bool, yield func(slot, freq uint32, positions []uint32) bool) error {
	positions = positions && !s.opts.bare(field)
	return s.told(s.each(term, field, positions, func(h *hits) bool {
		return h.yieldTo(s.dead, positions, yield)
	}))
}

func (s *snapshot) EachLength(term string, field int, yield func(slot, freq, length uint32) bool) error {
	return s.told(s.each(term, field, false, func(h *hits) bool {
		return h.yieldLengths(s.state, field, yield)
	}))
}

// told reports damage to the index. Segments are mapped: whatever their decoder
// complains of is damage.
func (s *snapshot) told(err error) error {
	if err == nil {
		return nil
	}
	if !errors.Is(err, ErrCorrupt) {
		err = damaged("%v", err)
	}
	s.onDamage(err)
	return err
}

func (s *snapshot) Close() {
	if !s.closed.Swap(true) {
		s.files.release()
	}
}
