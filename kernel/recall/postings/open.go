package postings

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
)

// Open opens the index in opts.Dir, or makes it. A folder that is damaged, or was
// made by something else, becomes an empty index: only the files of an index are
// removed from it. ErrLocked: another writer has it, or its file system is read-only.
func Open(opts Options) (*Index, error) {
	if err := opts.validate(); err != nil {
		return nil, err
	}
	opts.Fields = slices.Clone(opts.Fields)
	if opts.tailBytes == 0 {
		opts.tailBytes = defaultTail
	}
	ix := &Index{opts: opts, durable: opts.manifest()}
	ix.now = emptyState(&ix.opts)
	var err error
	switch {
	case ix.inMemory():
	case opts.ReadOnly:
		err = ix.openRead()
	default:
		err = ix.openWrite()
	}
	if err != nil {
		return nil, err
	}
	return ix, nil
}

// openWrite takes the folder, and loads its last flush or empties it.
func (ix *Index) openWrite() (err error) {
	dir := ix.opts.Dir
	if err = os.MkdirAll(dir, 0o700); err != nil {
		err = fmt.Errorf("postings: %w", err)
	} else {
		ix.lock, err = lockDir(dir)
	}
	if errors.Is(err, syscall.EROFS) { // an agent's sandbox shows the folder, and lets nobody in it write
		err = fmt.Errorf("%w: %w", ErrLocked, err)
	}
	if err != nil {
		return err
	}
	err = ix.load()
	if errors.Is(err, ErrCorrupt) {
		if err = os.Remove(path(dir, manifestName)); err == nil {
			err = os.ErrNotExist
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		err = nil
	}
	if err == nil {
		ix.number, err = sweepDir(dir, ix.durable.files())
	}
	if err != nil {
		ix.now.files.release()
		return errors.Join(err, ix.rows.close(), ix.lock.Close())
	}
	ix.merges.begin(ix.mergeStep)
	ix.merges.wake()
	return nil
}

// readTries is how often a reader looks for files that a writer has replaced
// since the manifest was read.
const readTries = 5

// openRead loads the last flush of another process.
func (ix *Index) openRead() error {
	var err error
	for range readTries {
		err = ix.load()
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, errOther) {
			return nil
		}
		if !errors.Is(err, ErrCorrupt) {
			break
		}
	}
	return err
}

// errOther says that an index was not made as the options say.
var errOther = fmt.Errorf("%w: it was made by something else", ErrCorrupt)

// verifiedAtOpen is how many bytes are compared with their checksums when an index
// is opened: all of a small one, the newest segments of a big one.
const verifiedAtOpen = 8 << 20

// load opens the last flush.
func (ix *Index) load() error {
	m, err := readManifest(ix.opts.Dir)
	if err != nil {
		return err
	}
	if !m.madeBy(&ix.opts) {
		return errOther
	}
	f, err := ix.loadFiles(m)
	if err != nil {
		return err
	}
	if err := f.verify(m.Rows, verifiedAtOpen); err != nil {
		f.release()
		err = errors.Join(err, ix.rows.close())
		ix.rows = nil
		return err
	}
	ix.now.files.release()
	ix.durable, ix.userData = *m, m.UserData
	ix.now = &state{rowSize: ix.opts.RowSize, files: f, tail: newTail(&ix.opts, m.Docs), docs: m.Docs}
	return nil
}

// loadFiles opens what a manifest names.
func (ix *Index) loadFiles(m *manifest) (*files, error) {
	var segments []*segment
	defer func() {
		for _, s := range segments {
			s.release() // the files hold them
		}
	}()
	for _, meta := range m.Segments {
		s, err := openSegment(ix.opts.Dir, meta, ix.opts.Fields)
		if err != nil {
			return nil, err
		}
		segments = append(segments, s)
	}
	if m.Rows.Size == 0 {
		return newFiles(segments, nil, m.Docs), nil
	}
	if ix.opts.ReadOnly {
		if err := m.Rows.checkSize(ix.opts.Dir, true); err != nil {
			return nil, err
		}
		rows, err := mapFile(ix.opts.Dir, m.Rows.Name, int(m.Rows.Size))
		if err != nil {
			return nil, err
		}
		defer rows.release()
		return newFiles(segments, rows, m.Docs), nil
	}
	rows, err := openRows(ix.opts.Dir, m.Rows)
	if err != nil {
		return nil, err
	}
	ix.rows = rows
	return newFiles(segments, rows.mapped, m.Docs), nil
}
