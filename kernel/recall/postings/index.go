package postings

import (
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"sync"
)

// Index is an inverted index with one writer and any number of readers: segments
// and rows in a folder, and a tail in memory. Without a folder the tail is all of
// it. Its methods are safe for concurrent use.
type Index struct {
	opts Options
	lock *os.File

	write   sync.Mutex // one writer at a time; guards what follows
	closed  bool
	rows    *rowsFile // nil: in memory, or to be created
	number  uint64    // of the last file
	durable manifest  // of the last flush
	unsure  bool      // whether that is durable
	merging string    // the file that a merge writes

	merges merges

	mu       sync.Mutex // taken last; guards what follows
	now      *state
	userData []byte
	spoiled  bool // damage was met
}

// defaultTail bounds what is held in memory before it is written: building its
// segment takes a few times as much.
const defaultTail = 24 << 20

func (ix *Index) inMemory() bool { return ix.opts.Dir == "" }

// usable is asked first by all that write.
func (ix *Index) usable() error {
	if ix.closed {
		return ErrClosed
	}
	if ix.opts.ReadOnly {
		return ErrReadOnly
	}
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if ix.spoiled {
		return ErrCorrupt
	}
	return nil
}

// spoil takes note of damage, and sees to it that the folder is not opened as it
// is again.
func (ix *Index) spoil() {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	if !ix.spoiled && !ix.inMemory() {
		ix.spoiled = true
		ix.condemn()
	}
}

func (ix *Index) condemn() {
	if !ix.opts.ReadOnly {
		_ = os.Remove(path(ix.opts.Dir, manifestName))
	}
}

// Snapshot is the index as it is now. It must be closed. It may outlive the index,
// but not the next opening of the folder to write.
func (ix *Index) Snapshot() *Snapshot {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	ix.now.files.acquire()
	return &Snapshot{state: ix.now, onDamage: ix.spoil}
}

// SnapshotOf is a snapshot of so many documents, which must be all but some of those
// that the last Append added.
func (ix *Index) SnapshotOf(docs uint32) *Snapshot {
	s := ix.Snapshot()
	if docs < s.docs {
		fewer := *s.state
		fewer.docs = docs
		s.state = &fewer
	}
	return s
}

// UserData is that of the last flush, also of a program that has ended. nil: the
// index is new, or began anew.
func (ix *Index) UserData() []byte {
	ix.mu.Lock()
	defer ix.mu.Unlock()
	return slices.Clone(ix.userData)
}

// Append adds documents, which snapshots taken from now on see, and returns the
// number of the first; the others follow. After an error none was added.
func (ix *Index) Append(docs []Document) (first uint32, err error) {
	ix.write.Lock()
	defer ix.write.Unlock()
	if err := ix.usable(); err != nil {
		return 0, err
	}
	if err := ix.opts.check(docs); err != nil {
		return 0, err
	}
	first = ix.now.docs
	if uint64(first)+uint64(len(docs)) > math.MaxUint32-1 {
		return 0, ErrFull
	}
	if !ix.inMemory() && ix.now.tail.cost+cost(docs) > ix.opts.tailBytes {
		if err := ix.spill(); err != nil {
			return 0, err
		}
	}
	if len(docs) > 0 {
		ix.publish(ix.now.with(docs))
	}
	return first, nil
}

// publish makes a state the present one.
func (ix *Index) publish(s *state) {
	ix.mu.Lock()
	old := ix.now
	ix.now = s
	ix.mu.Unlock()
	if old.files != s.files {
		old.files.release()
	}
}

// verify compares checksums of so many bytes: of the rows, then of the newest
// segments.
func (f *files) verify(rows fileMeta, bytes int64) error {
	if rows.Size > 0 && rows.Size <= bytes {
		if err := rows.verify(f.rows.data[:rows.Size]); err != nil {
			return err
		}
		bytes -= rows.Size
	}
	for _, s := range slices.Backward(f.segments) {
		if bytes -= s.meta.File.Size; bytes < 0 {
			return nil
		}
		if err := s.verify(); err != nil {
			return err
		}
	}
	return nil
}

// Close gives up what was not flushed.
func (ix *Index) Close() error {
	ix.merges.end()
	ix.write.Lock()
	defer ix.write.Unlock()
	if ix.closed {
		return nil
	}
	ix.closed = true
	ix.publish(emptyState(&ix.opts))
	if ix.inMemory() {
		return nil
	}
	err := ix.rows.close()
	ix.rows = nil
	if ix.opts.ReadOnly {
		return err
	}
	if ix.spoiled { // all that could set it have ended
		ix.condemn()
	} else {
		ix.sweep()
	}
	return errors.Join(err, ix.lock.Close())
}

// name gives a new file its name.
func (ix *Index) name(kind string) string {
	ix.number++
	return fmt.Sprintf("%s-%d", kind, ix.number)
}

// sweep removes the files that neither the last flush nor the present state has.
// Snapshots have theirs mapped.
func (ix *Index) sweep() {
	if ix.unsure { // which flush was the last
		return
	}
	keep := ix.durable.files()
	for _, seg := range ix.now.files.segments {
		keep[seg.meta.File.Name] = true
	}
	keep[ix.merging] = true
	if ix.rows != nil {
		keep[ix.rows.name] = true
	}
	_, _ = sweepDir(ix.opts.Dir, keep) // what stays is found by the next one
}
