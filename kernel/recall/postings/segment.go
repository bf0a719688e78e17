package postings

import (
	"errors"
	"fmt"
	"sync/atomic"
	"syscall"

	"github.com/blevesearch/vellum"
	zap "github.com/blevesearch/zapx/v17"
)

// segment is an open segment of bleve: the postings of some neighbouring documents,
// in their order. It never changes.
type segment struct {
	meta  segmentMeta
	zap   *zap.Segment
	dicts []*vellum.FST // by field
	refs  atomic.Int32  // each user releases it once

	unsynced bool // the writer's: not durable yet
}

// plugin is bleve's present segment format.
var plugin zap.ZapPlugin

// openSegment opens what a manifest names. Damage that can be seen without reading
// all of it gives ErrCorrupt.
func openSegment(dir string, meta segmentMeta, fields []string) (_ *segment, err error) {
	if err := meta.File.checkSize(dir, false); err != nil {
		return nil, err
	}
	s := &segment{meta: meta}
	s.refs.Store(1)
	defer func() {
		if err != nil {
			s.release()
		}
	}()
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
	if s.refs.Add(-1) == 0 && s.zap != nil {
		_ = s.zap.Close()
	}
}

// verify compares the checksum.
func (s *segment) verify() error { return s.meta.File.verify(s.zap.Data()) }

// forget gives back the memory of pages that were read in passing. They stay in
// the kernel's cache (madvise(2)).
func (s *segment) forget() { _ = syscall.Madvise(s.zap.Data(), syscall.MADV_DONTNEED) }

// cursor returns nil when the segment doesn't have the term.
func (s *segment) cursor(term string, field int) (*segmentCursor, error) {
	c := &segmentCursor{s: s}
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

// segmentCursor decodes the postings of one term, ascending.
type segmentCursor struct {
	s     *segment
	list  zapList
	after uint32 // the lowest document that may follow
}

// next fills h, with nothing at the end.
func (c *segmentCursor) next(h *hits) error {
	return guard(func() error { return c.fill(h) })
}

func (c *segmentCursor) fill(h *hits) error {
	h.n = c.list.docs(h.docs[:])
	for i, doc := range h.docs[:h.n] {
		if doc < c.after || doc >= c.s.meta.Docs {
			return damaged("segment %s: posting out of order", c.s.meta.File.Name)
		}
		c.after = doc + 1
		h.docs[i] = c.s.meta.Base + doc
	}
	return c.list.values(h.freqs[:h.n], h.lengths[:h.n])
}
