package postings

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// name gives a new file its name.
func (ix *inverted) name(kind string) string {
	ix.number++
	return fmt.Sprintf("%s-%d", kind, ix.number)
}

// spill writes the tail and begins another one.
func (ix *inverted) spill() error {
	if ix.now.slots == ix.now.files.slots {
		return nil
	}
	s := *ix.now
	segments, err := ix.seal(s.files.segments, s.tail, s.tailRows, s.slots-s.tail.base)
	if err != nil {
		return err
	}
	s.install(ix, segments)
	ix.publish(&s)
	ix.merges.wake()
	return nil
}

// install gives a state new files, which hold all its slots.
func (s *state) install(ix *inverted, segments []*segment) {
	s.files = newFiles(segments, ix.rows.mapped, s.slots)
	releaseNew(segments, ix.now.files.segments)
	s.tail, s.tailRows = newTail(s.opts, s.slots), nil
}

// releaseNew drops the hold that opening a segment gave.
func releaseNew(segments, old []*segment) {
	for _, seg := range segments {
		if !slices.Contains(old, seg) {
			seg.release()
		}
	}
}

// sealed is the present state with chunks in it, written one by one but for the
// tail. With none of them it is the present state; with some, the tail must be
// empty. After an error there is nothing of them.
func (ix *inverted) sealed(chunks [][]Document) (*state, error) {
	s := *ix.now
	if len(chunks) == 0 {
		return &s, nil
	}
	segments := s.files.segments
	var before fileMeta
	if ix.rows != nil {
		before = ix.rows.meta()
	}
	for _, docs := range chunks {
		t := newTail(s.opts, s.slots)
		t.add(s.slots, docs)
		s.tailRows = nil
		s.grow(docs)
		more, err := ix.seal(segments, t, s.tailRows, uint32(len(docs)))
		if err != nil {
			releaseNew(segments, ix.now.files.segments)
			if ix.rows != nil {
				ix.rows.size, ix.rows.sum = before.Size, before.Sum
			}
			ix.sweep()
			return nil, err
		}
		segments = more
	}
	s.install(ix, segments)
	ix.merges.wake()
	return &s, nil
}

// seal writes a tail's rows and postings and returns the segments with one more,
// if any of its slots lives.
func (ix *inverted) seal(segments []*segment, t *tail, rows []byte, span uint32) ([]*segment, error) {
	built, gaps, docs, err := t.build(span, rows, ix.now.dead)
	if err != nil {
		return nil, err
	}
	if ix.rows == nil {
		if ix.rows, err = createRows(ix.opts.Dir, ix.name("rows")); err != nil {
			return nil, err
		}
	}
	out := slices.Clone(segments)
	if docs > 0 {
		meta := segmentMeta{Base: t.base, Span: span, Docs: uint32(docs)}
		if meta.File, err = writeFile(ix.opts.Dir, ix.name("segment"), built, false); err != nil {
			return nil, err
		}
		seg, err := ix.adopt(meta, gaps)
		if err != nil {
			return nil, err
		}
		// Most are merged before they are flushed: they need not reach the disk.
		seg.unsynced = true
		out = append(out, seg)
	}
	if err := ix.rows.write(rows); err != nil {
		releaseNew(out, segments)
		ix.sweep()
		return nil, err
	}
	return out, nil
}

// adopt writes the gaps of a segment whose file is there, and opens it.
func (ix *inverted) adopt(meta segmentMeta, gaps []byte) (seg *segment, err error) {
	if len(gaps) > 0 {
		meta.Gaps, err = writeBytes(ix.opts.Dir, ix.name("gaps"), gaps)
	}
	if err == nil {
		seg, err = openSegment(ix.opts.Dir, meta, ix.opts.Fields)
	}
	if err != nil {
		_ = os.Remove(path(ix.opts.Dir, meta.File.Name))
		return nil, err
	}
	return seg, nil
}

// Flush implements Index.
func (ix *inverted) Flush(mark []byte) error {
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

// persist makes the present state, which has no tail, the durable one.
func (ix *inverted) persist(mark []byte) error {
	s := ix.now
	if !ix.unsure && s.slots == ix.durable.Slots && s.dead.count() == ix.dead.count() &&
		bytes.Equal(mark, ix.durable.Mark) && (mark == nil) == (ix.durable.Mark == nil) {
		return nil
	}
	m := ix.opts.manifest()
	m.Slots, m.Live, m.Totals, m.Mark = s.slots, s.Live(), s.totals, slices.Clone(mark)
	m.Dead = ix.durable.Dead
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
	if s.dead.count() != ix.dead.count() {
		var err error
		if m.Dead, err = writeBytes(ix.opts.Dir, ix.name("dead"), s.dead.encode()); err != nil {
			return err
		}
	}
	if err := ix.replace(m, s.dead); err != nil {
		return err
	}
	ix.sweep()
	ix.merges.wake()
	return nil
}

func (o *Options) manifest() manifest {
	return manifest{Fingerprint: o.Fingerprint, Fields: o.Fields, NoPositions: o.NoPositions, RowSize: o.RowSize}
}

// replace makes a manifest, and the deleted slots it tells of, the last flush.
func (ix *inverted) replace(m manifest, dead *deadSet) error {
	data, err := m.encode()
	if err != nil {
		return err
	}
	replaced, err := replaceManifest(ix.opts.Dir, data)
	if replaced {
		ix.durable, ix.dead = m, dead
	}
	ix.unsure = err != nil
	return err
}

// sweep removes the files that neither the last flush nor the present state has.
// Snapshots have theirs mapped.
func (ix *inverted) sweep() {
	keep := ix.durable.files()
	for _, seg := range ix.now.files.segments {
		keep[seg.meta.File.Name], keep[seg.meta.Gaps.Name] = true, true
	}
	for name := range ix.making {
		keep[name] = true
	}
	if ix.rows != nil {
		keep[ix.rows.name] = true
	}
	_, _ = sweepDir(ix.opts.Dir, keep) // what stays is found by the next one
}

// Verify implements Index.
func (ix *inverted) Verify(ctx context.Context) error {
	ix.write.Lock()
	rows, f := ix.durable.Rows, ix.now.files.acquire()
	ix.write.Unlock()
	defer f.release()
	err := verifyFiles(ctx, f, rows)
	if errors.Is(err, ErrCorrupt) {
		ix.spoil(err)
	}
	return err
}

func verifyFiles(ctx context.Context, f *files, rows fileMeta) error {
	if rows.Size > 0 {
		if err := rows.verify(ctx, f.rows.data[:rows.Size]); err != nil {
			return err
		}
	}
	for _, seg := range f.segments {
		if err := seg.verify(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Close implements Index.
func (ix *inverted) Close() error {
	ix.merges.end()
	ix.write.Lock()
	defer ix.write.Unlock()
	if ix.closed {
		return nil
	}
	ix.closed = true
	ix.mu.Lock()
	spoiled := ix.spoiled
	ix.gone = true
	ix.mu.Unlock()
	ix.publish(emptyState(&ix.opts))
	if ix.inMemory() {
		return nil
	}
	err := ix.rows.close()
	ix.rows = nil
	if ix.opts.ReadOnly {
		return err
	}
	if spoiled {
		ix.condemn()
	} else {
		ix.sweep()
	}
	return errors.Join(err, ix.lock.Close())
}
