package file

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"os"
	"slices"
	"strings"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

// logs are what makes changes durable: the redo log, the journal, and the files
// that are not flushed yet. The lock is held.
type logs struct {
	dir     *dir
	lock    *folderLock
	boot    [16]byte // of the running kernel
	walSize int64    // of a new redo log

	wal      *wal
	journal  File
	reserved int64            // offset up to which the journal has room, as far as is known
	dirty    map[string]int64 // files of the epoch's records, by their last sequence number
	unsynced atomic.Bool      // a checkpoint would have something to do
}

// fits reports whether the redo log takes n more bytes of frames in this epoch.
func (l *logs) fits(n int) bool { return !l.wal.bad && l.wal.pos+int64(n) <= l.wal.size }

// checkpoint makes everything durable without the redo log and begins a new
// epoch of it. Frames of records that are not written yet are of the old one.
func (l *logs) checkpoint() error {
	if l.wal.pos == walStart && len(l.dirty) == 0 && l.wal.head.Boot == l.boot && !l.wal.bad {
		l.unsynced.Store(false)
		return nil
	}
	if err := l.syncAll(); err != nil {
		return err
	}
	at := l.lock.at
	if err := l.wal.begin(at.Done, at.Journal, l.boot); err != nil {
		at.Epoch = 0 // other processes begin an epoch, too
		return errors.Join(err, l.lock.set(at))
	}
	clear(l.dirty)
	l.unsynced.Store(false)
	at.Epoch, at.WALPos = l.wal.head.Epoch, l.wal.pos
	return l.lock.set(at)
}

// manyFiles is from how many files on one syncfs(2) is cheaper than an fsync(2)
// of each, which waits for a flush of the disk's cache every time.
const manyFiles = 32

func (l *logs) syncAll() error {
	if len(l.dirty) > manyFiles {
		return l.dir.SyncAll()
	}
	if err := l.dir.syncFiles(slices.Collect(maps.Keys(l.dirty))); err != nil {
		return err
	}
	if err := l.dir.SyncDir("."); err != nil {
		return err
	}
	return l.journal.Sync()
}

// journalReserve is the room that is kept free at the journal's end for changes
// that only remove: on a full disk they must work, for they make room.
const journalReserve = 64 << 10

// reserve makes sure of that room before n more bytes are written. A change with
// new texts fails where there is none; one that only removes takes what is left.
func (l *logs) reserve(n int, grows bool) error {
	at := l.lock.at.Journal
	need := at + int64(n) + journalReserve
	if need <= l.reserved {
		return nil
	}
	// Twice as much, so that it is asked for once in many changes.
	err := l.journal.Reserve(at, need-at+journalReserve)
	switch {
	case err == nil:
		l.reserved = need + journalReserve
		// ext4 without a journal may write the inode with that of .wal, and later the
		// block that lists its extents: all of the journal would be lost between.
		return l.journal.Sync()
	case errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.ENOSYS), errors.Is(err, unix.EINVAL):
		l.reserved = math.MaxInt64 // this file system reserves nothing
	case grows:
		return fmt.Errorf("reserve room for the journal: %w", err)
	}
	return nil
}

// resume goes on after recovery, with an epoch of its own where something was
// mended.
func (l *logs) resume(begin bool) error {
	at := l.lock.at
	if l.wal == nil {
		if err := l.syncAll(); err != nil {
			return err
		}
		w, err := createWAL(l.dir, l.walSize, at.Done, at.Journal, l.boot)
		if err != nil {
			return err
		}
		l.wal = w
	} else if begin || l.wal.head.Boot != l.boot {
		l.wal.bad = true
		return l.checkpoint()
	}
	at.Epoch, at.WALPos = l.wal.head.Epoch, l.wal.pos
	return l.lock.set(at)
}

var errFollow = errors.New("not the continuation of what is known")

// follow goes to where another process left the redo log.
func (l *logs) follow(at position) error {
	there, err := l.dir.Lstat(walName)
	if err != nil {
		return err
	}
	mine, err := l.wal.f.Stat()
	if err != nil {
		return err
	}
	if there.Inode != mine.Inode {
		return errFollow
	}
	if at.Epoch != l.wal.head.Epoch {
		if err := l.wal.refresh(); err != nil {
			return err
		}
		for name, seq := range l.dirty {
			if seq <= l.wal.head.Base {
				delete(l.dirty, name)
			}
		}
	}
	if at.Epoch != l.wal.head.Epoch {
		return errFollow
	}
	l.wal.pos, l.wal.last = at.WALPos, at.Done
	return nil
}

func (l *logs) close() error {
	var errs []error
	if l.journal != nil {
		errs = append(errs, l.journal.Close())
	}
	if l.wal != nil {
		errs = append(errs, l.wal.f.Close())
	}
	l.journal, l.wal, l.reserved = nil, nil, 0
	return errors.Join(errs...)
}

// bootID is the running kernel's, or the one given in its place.
func bootID(given string) (id [16]byte, err error) {
	if given == "" {
		b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
		if err != nil {
			return id, err
		}
		given = string(b)
	}
	b, err := hex.DecodeString(strings.ReplaceAll(strings.TrimSpace(given), "-", ""))
	if err != nil || len(b) != len(id) {
		return id, errors.New("the boot id is not a UUID")
	}
	return [16]byte(b), nil
}
