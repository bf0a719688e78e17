package postings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// Open opens the index in opts.Dir, or makes it. A folder that is damaged, or was
// made by something else, becomes an empty index: only the files of an index are
// removed from it. ErrLocked: another writer has it.
func Open(opts Options) (Index, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	opts.Fields, opts.NoPositions = slices.Clone(opts.Fields), slices.Clone(opts.NoPositions)
	if opts.tailBytes == 0 {
		opts.tailBytes = defaultTail
	}
	ix := &inverted{opts: opts, making: map[string]bool{}}
	ix.now = emptyState(&ix.opts)
	ix.durable = ix.opts.manifest()
	switch {
	case ix.inMemory():
		return ix, nil
	case opts.ReadOnly:
		if err := ix.openRead(); err != nil {
			return nil, err
		}
		return ix, nil
	}
	if err := os.MkdirAll(opts.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	lock, err := lockDir(opts.Dir)
	if err != nil {
		return nil, err
	}
	ix.lock = lock
	if err := ix.openWrite(); err != nil {
		ix.now.files.release()
		_ = ix.rows.close()
		_ = lock.Close()
		return nil, err
	}
	ix.merges.begin(ix.mergeStep)
	ix.merges.wake()
	return ix, nil
}

func (o *Options) validate() error {
	seen := map[string]bool{"_id": true, "": true} // bleve's own, and none
	for _, name := range o.Fields {
		if seen[name] {
			return fmt.Errorf("postings: open: field %q", name)
		}
		seen[name] = true
	}
	if len(o.Fields) == 0 || len(o.NoPositions) > len(o.Fields) || o.RowSize < 0 {
		return errors.New("postings: open: fields or size of rows")
	}
	return nil
}

// openWrite loads the last flush, or empties the folder.
func (ix *inverted) openWrite() error {
	m, err := readManifest(ix.opts.Dir)
	if err == nil && !m.madeBy(&ix.opts) {
		err = ErrCorrupt
	}
	if err == nil {
		err = ix.load(m)
	}
	switch {
	case err == nil:
		ix.number, err = sweepDir(ix.opts.Dir, m.files())
		return err
	case !errors.Is(err, ErrCorrupt) && !errors.Is(err, os.ErrNotExist):
		return err
	}
	if err := os.Remove(path(ix.opts.Dir, manifestName)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("postings: %w", err)
	}
	ix.number, err = sweepDir(ix.opts.Dir, nil)
	return err
}

// readTries is how often a reader looks for files that a writer has replaced
// since the manifest was read.
const readTries = 5

// openRead loads the last flush of another process.
func (ix *inverted) openRead() (err error) {
	for range readTries {
		var m *manifest
		m, err = readManifest(ix.opts.Dir)
		if errors.Is(err, os.ErrNotExist) || err == nil && !m.madeBy(&ix.opts) {
			return nil
		}
		if err == nil {
			err = ix.load(m)
		}
		if !errors.Is(err, ErrCorrupt) {
			return err
		}
	}
	return err
}

func readManifest(dir string) (*manifest, error) {
	data, err := os.ReadFile(path(dir, manifestName))
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	return decodeManifest(data)
}

// verifiedAtOpen is how many bytes are compared with their checksums when an index
// is opened: all of a small one, the newest segments of a big one.
const verifiedAtOpen = 8 << 20

// load opens what a manifest names.
func (ix *inverted) load(m *manifest) (err error) {
	var segments []*segment
	var rows *mapping
	defer func() {
		for _, s := range segments {
			s.release() // the files hold them
		}
		if ix.opts.ReadOnly {
			rows.release()
		}
		if err != nil {
			_ = ix.rows.close()
			ix.rows = nil
		}
	}()
	for _, meta := range m.Segments {
		s, err := openSegment(ix.opts.Dir, meta, ix.opts.Fields)
		if err != nil {
			return err
		}
		segments = append(segments, s)
	}
	if rows, err = ix.loadRows(m); err != nil {
		return err
	}
	dead, err := loadDead(ix.opts.Dir, m)
	if err != nil {
		return err
	}
	if err := verifyNewest(segments, rows, m.Rows); err != nil {
		return err
	}
	ix.durable, ix.dead, ix.mark = *m, dead, m.Mark
	ix.now = &state{
		opts: &ix.opts, files: newFiles(segments, rows, m.Slots), tail: newTail(&ix.opts, m.Slots),
		slots: m.Slots, dead: dead, totals: m.Totals,
	}
	return nil
}

func (ix *inverted) loadRows(m *manifest) (_ *mapping, err error) {
	if m.Rows.Name == "" {
		return nil, nil
	}
	if !ix.opts.ReadOnly {
		if ix.rows, err = openRows(ix.opts.Dir, m.Rows); err != nil {
			return nil, err
		}
		return ix.rows.mapped, nil
	}
	if err := checkRows(ix.opts.Dir, m.Rows); err != nil || m.Rows.Size == 0 {
		return nil, err
	}
	return mapFile(ix.opts.Dir, m.Rows.Name, int(m.Rows.Size))
}

func loadDead(dir string, m *manifest) (*deadSet, error) {
	if m.Dead.Name == "" {
		if m.Live != m.Slots {
			return nil, damaged("manifest: live slots")
		}
		return nil, nil
	}
	if err := checkSize(dir, m.Dead); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path(dir, m.Dead.Name))
	if err != nil {
		return nil, fmt.Errorf("postings: %w", err)
	}
	if err := m.Dead.verify(context.Background(), data); err != nil {
		return nil, err
	}
	dead, err := decodeDead(data)
	if err == nil && dead.count() != m.Slots-m.Live {
		err = damaged("deleted slots: %d for %d", dead.count(), m.Slots-m.Live)
	}
	return dead, err
}

// verifyNewest compares the checksums of as much as fits the time of opening.
func verifyNewest(segments []*segment, rows *mapping, m fileMeta) error {
	left := int64(verifiedAtOpen)
	if m.Size > 0 && m.Size <= left {
		if err := m.verify(context.Background(), rows.data[:m.Size]); err != nil {
			return err
		}
		left -= m.Size
	}
	for _, s := range slices.Backward(segments) {
		if left -= s.meta.File.Size + s.meta.Gaps.Size; left < 0 {
			return nil
		}
		if err := s.verify(context.Background()); err != nil {
			return err
		}
	}
	return nil
}
