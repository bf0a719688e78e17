package postings

import (
	"bytes"
	"fmt"
	"os"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// Flush makes all that was appended durable, together with data of the user. After
// a crash the index is as of its last flush. After an error it is as it was, and Flush can
// be tried again.
func (ix *Index) Flush(userData []byte) error {
	ix.write.Lock()
	defer ix.write.Unlock()
	if err := ix.usable(); err != nil {
		return err
	}
	if !ix.inMemory() {
		if err := ix.spill(); err != nil {
			return err
		}
		if err := ix.persist(userData); err != nil {
			return err
		}
	}
	ix.mu.Lock()
	ix.userData = slices.Clone(userData)
	ix.mu.Unlock()
	return nil
}

// spill writes the tail as a segment and begins another one.
func (ix *Index) spill() error {
	s := *ix.now
	if s.docs == s.files.docs {
		return nil
	}
	seg, err := ix.seal(&s)
	if err != nil {
		ix.sweep()
		return err
	}
	s.files = newFiles(append(slices.Clone(s.files.segments), seg), ix.rows.mapped, s.docs)
	seg.release() // the files hold it
	s.tail, s.tailRows = newTail(&ix.opts, s.docs), nil
	ix.publish(&s)
	ix.merges.wake()
	return nil
}

// seal writes the rows and postings of a state's tail.
func (ix *Index) seal(s *state) (*segment, error) {
	docs := s.docs - s.tail.base
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
func (ix *Index) persist(userData []byte) error {
	s := ix.now
	if !ix.unsure && s.docs == ix.durable.Docs && bytes.Equal(userData, ix.durable.UserData) && (userData == nil) == (ix.durable.UserData == nil) {
		return nil
	}
	m := ix.opts.manifest()
	m.Docs, m.UserData = s.docs, slices.Clone(userData)
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
