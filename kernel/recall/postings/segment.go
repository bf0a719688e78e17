package postings

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime/debug"
	"sort"
	"sync/atomic"
	"syscall"

	"github.com/blevesearch/vellum"
	zap "github.com/blevesearch/zapx/v17"
)

// segment is an open segment of bleve: the postings of some neighbouring slots.
// Its documents are numbered in the order of their slots; slots that were deleted
// when it was written have none. It never changes.
type segment struct {
	meta  segmentMeta
	zap   *zap.Segment
	dicts []*vellum.FST // by field
	gaps  *mapping      // the slots without a document, less the base; nil: none
	refs  atomic.Int32  // each user releases it once

	unsynced bool // the writer's: not durable yet
}

// plugin is bleve's present segment format.
var plugin zap.ZapPlugin

// openSegment opens what a manifest names. Damage that can be seen without reading
// all of it gives ErrCorrupt.
func openSegment(dir string, meta segmentMeta, fields []string) (_ *segment, err error) {
	if err := checkSize(dir, meta.File); err != nil {
		return nil, err
	}
	s := &segment{meta: meta}
	s.refs.Store(1)
	defer func() {
		if err != nil {
			s.release()
		}
	}()
	if meta.Gaps.Size > 0 {
		if err := checkSize(dir, meta.Gaps); err != nil {
			return nil, err
		}
		if s.gaps, err = mapFile(dir, meta.Gaps.Name, int(meta.Gaps.Size)); err != nil {
			return nil, err
		}
	}
	err = guard(func() error {
		opened, err := plugin.Open(path(dir, meta.File.Name))
		if err != nil {
			return err
		}
		s.zap = opened.(*zap.Segment)
		s.dicts, err = openDicts(s.zap, fields)
		return err
	})
	if errors.As(err, new(syscall.Errno)) { // too many files, say
		return nil, fmt.Errorf("postings: %w", err)
	}
	if err != nil {
		return nil, damaged("segment %s: %v", meta.File.Name, err)
	}
	if s.zap.NumDocs() != uint64(meta.Docs) {
		return nil, damaged("segment %s: %d documents for %d", meta.File.Name, s.zap.NumDocs(), meta.Docs)
	}
	return s, nil
}

func (s *segment) release() {
	if s.refs.Add(-1) != 0 {
		return
	}
	if s.zap != nil {
		_ = s.zap.Close()
	}
	s.gaps.release()
}

// verify compares the checksums.
func (s *segment) verify(ctx context.Context) error {
	if err := s.meta.File.verify(ctx, s.zap.Data()); err != nil {
		return err
	}
	if s.gaps == nil {
		return nil
	}
	return s.meta.Gaps.verify(ctx, s.gaps.data)
}

// forget gives back the memory of pages that were read in passing. They stay in
// the kernel's cache (madvise(2)).
func (s *segment) forget() { _ = syscall.Madvise(s.zap.Data(), syscall.MADV_DONTNEED) }

func (s *segment) end() uint32 { return s.meta.Base + s.meta.Span }

// gap is the i-th slot without a document, less the base.
func (s *segment) gap(i int) uint32 { return binary.LittleEndian.Uint32(s.gaps.data[4*i:]) }

func (s *segment) gapCount() int {
	if s.gaps == nil {
		return 0
	}
	return len(s.gaps.data) / 4
}

// cursor returns nil when the segment doesn't have the term.
func (s *segment) cursor(term string, field int, bare, positions bool) (cursor, error) {
	c := &segmentCursor{s: s, bare: bare, positional: positions && !bare}
	found := false
	err := guard(func() (err error) {
		found, err = c.list.open(s.zap.Data(), s.dicts[field], term)
		return err
	})
	if err != nil || !found {
		return nil, err
	}
	return c, nil
}

// segmentCursor turns document numbers into slots as it goes.
type segmentCursor struct {
	s          *segment
	list       zapList
	bare       bool
	positional bool
	passed     int    // gaps before the present document
	after      uint32 // the lowest document that may follow
}

func (c *segmentCursor) next(h *hits) error {
	return guard(func() error { return c.fill(h) })
}

func (c *segmentCursor) fill(h *hits) error {
	h.positions = h.positions[:0]
	h.n = c.list.docs(h.slots[:])
	if err := c.toSlots(h.slots[:h.n]); err != nil {
		return err
	}
	var values [batchHits]uint64
	if err := c.list.values(values[:h.n], h.norms[:]); err != nil {
		return err
	}
	for i, v := range values[:h.n] {
		if c.bare {
			h.freqs[i] = uint32(v >> 1)
		} else {
			h.freqs[i] = packedFreq(v >> 1)
		}
	}
	if !c.positional {
		return nil
	}
	for i, v := range values[:h.n] {
		if v&1 == 0 {
			h.positions = unpack(h.positions, v>>1)
		} else {
			var err error
			if h.positions, err = c.list.locations(h.positions, v>>4); err != nil {
				return err
			}
		}
		h.ends[i] = uint32(len(h.positions))
	}
	return nil
}

// toSlots turns ascending document numbers into slots.
func (c *segmentCursor) toSlots(docs []uint32) error {
	base, last := c.s.meta.Base, c.after
	for i, doc := range docs {
		if doc < last || doc >= c.s.meta.Docs {
			return damaged("segment %s: posting out of order", c.s.meta.File.Name)
		}
		last = doc + 1
		if c.s.gaps == nil {
			docs[i] = base + doc
		} else {
			docs[i] = c.slot(doc)
		}
	}
	c.after = last
	return nil
}

// slot counts the gaps before a document. Documents come ascending, so it goes on
// from the last one: near ones by steps, far ones by halves.
func (c *segmentCursor) slot(doc uint32) uint32 {
	s := c.s
	if s.gaps == nil {
		return s.meta.Base + doc
	}
	n := s.gapCount()
	// The i-th gap comes before the document when i documents and gaps do.
	before := func(i int) bool { return s.gap(i) <= doc+uint32(i) }
	for step := 1; c.passed < n && before(c.passed); step *= 2 {
		if far := min(c.passed+step, n-1); before(far) {
			c.passed = far + 1
			continue
		}
		c.passed += sort.Search(min(step, n-1-c.passed), func(i int) bool { return !before(c.passed + i) })
		break
	}
	return s.meta.Base + doc + uint32(c.passed)
}

// guard turns a panic of a decoder that met damage into ErrCorrupt. That includes
// faults: reading a mapped file that was cut, or from a failing disk, raises
// SIGBUS (mmap(2)).
func guard(f func() error) (err error) {
	old := debug.SetPanicOnFault(true)
	defer func() {
		debug.SetPanicOnFault(old)
		if r := recover(); r != nil {
			err = damaged("%v", r)
		}
	}()
	return f()
}
