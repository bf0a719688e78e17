package postings

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// Flush makes all that was appended durable, together with the mark. After a crash
// the index is as of its last flush. After an error it is as it was, and Flush can
// be tried again.
func (ix *Index) Flush(mark []byte) error {
	ix.write.Lock()
	defer ix.write.Unlock()
	if err := ix.usable(); err != nil {
		return err
	}
	if !ix.inMemory() {
		if err := ix.spill(); err != nil {
			return err
		}
		if err := ix.persist(mark); err != nil {
			return err
		}
	}
	ix.mu.Lock()
	ix.mark = slices.Clone(mark)
	ix.mu.Unlock()
	return nil
}

// spill writes the tail as a segment and begins another one.
func (ix *Index) spill() error {
	s := *ix.now
	if s.slots == s.files.slots {
		return nil
	}
	seg, err := ix.seal(&s)
	if err != nil {
		ix.sweep()
		return err
	}
	s.files = newFiles(append(slices.Clone(s.files.segments), seg), ix.rows.mapped, s.slots)
	seg.release() // the files hold it
	s.tail, s.tailRows = newTail(&ix.opts, s.slots), nil
	ix.publish(&s)
	ix.merges.wake()
	return nil
}

// seal writes the rows and postings of a state's tail.
func (ix *Index) seal(s *state) (*segment, error) {
	docs := s.slots - s.tail.base
	built, err := s.tail.build(ix.opts.Fields, docs)
	if err != nil {
		return nil, err
	}
	if ix.rows == nil {
		if ix.rows, err = createRows(ix.opts.Dir, ix.name("rows")); err != nil {
			return nil, err
		}
	}
	meta := segmentMeta{Base: s.tail.base, Docs: docs}
	if meta.File, err = writeFile(ix.opts.Dir, ix.name("segment"), built); err != nil {
		return nil, err
	}
	seg, err := openSegment(ix.opts.Dir, meta, ix.opts.Fields)
	if err != nil {
		return nil, err
	}
	if err := ix.rows.write(s.tailRows); err != nil {
		seg.release()
		return nil, err
	}
	seg.unsynced = true // most are merged before they are flushed
	return seg, nil
}

// persist makes the present state, which has no tail, the durable one.
func (ix *Index) persist(mark []byte) error {
	s := ix.now
	if !ix.unsure && s.slots == ix.durable.Slots && bytes.Equal(mark, ix.durable.Mark) && (mark == nil) == (ix.durable.Mark == nil) {
		return nil
	}
	m := ix.opts.manifest()
	m.Slots, m.Mark = s.slots, slices.Clone(mark)
	for _, seg := range s.files.segments {
		if seg.unsynced {
			if err := syncFile(path(ix.opts.Dir, seg.meta.File.Name)); err != nil {
				return err
			}
			seg.unsynced = false
		}
		m.Segments = append(m.Segments, seg.meta)
	}
	if ix.rows != nil {
		if err := ix.rows.f.Sync(); err != nil {
			return fmt.Errorf("postings: %w", err)
		}
		m.Rows = ix.rows.meta()
	}
	if err := ix.replace(m); err != nil {
		return err
	}
	ix.sweep()
	ix.merges.wake()
	return nil
}

// syncFile makes a file durable.
func syncFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("postings: %w", err)
	}
	defer func() { _ = f.Close() }()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("postings: %w", err)
	}
	return nil
}

// replace makes a manifest the last flush.
func (ix *Index) replace(m manifest) error {
	data, err := m.encode()
	if err != nil {
		return err
	}
	err = durable.Replace(path(ix.opts.Dir, manifestName), data, 0o600)
	if ix.unsure = err != nil; ix.unsure {
		return fmt.Errorf("postings: %w", err)
	}
	ix.durable = m
	return nil
}
