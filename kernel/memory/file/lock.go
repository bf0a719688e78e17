package file

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	lockName     = ".lock"
	positionSize = 8 + 6*8 + macSize
	positionTag  = "rnixmark"
)

// position is what .lock holds: how far the last holder of the lock came. It is
// written before the lock is let go and never synced; after a crash of the
// machine the redo log decides. A process that finds its own last position knows
// that nobody else was here.
type position struct {
	Gen     uint64 // grows with each position
	Done    int64  // every change up to this sequence number is in the files
	Epoch   uint64 // of .wal
	WALPos  int64  // end of .wal's frames
	Journal int64  // size of the journal
	Inode   uint64 // of the journal
}

// readPosition reads the position; a zero one when there is none or it is torn.
func readPosition(k key, f File) (p position, err error) {
	var b [positionSize]byte
	if _, err := f.ReadAt(b[:], 0); unless(err, io.EOF) != nil {
		return p, err
	}
	if !k.unseal(positionTag, b[:], &p) {
		return position{}, nil
	}
	return p, nil
}

// folderLock is flock(2) on .lock, which orders the processes that have the
// folder open, and the position in it.
type folderLock struct {
	dir     *dir
	timeout time.Duration

	mu   sync.Mutex // changes of file
	file File       // nil: not open
	gen  atomic.Uint64
	ino  atomic.Uint64 // at.Inode
	at   position      // last read or written here; guarded by the lock
}

// acquire takes the lock.
func (l *folderLock) acquire(ctx context.Context) error {
	waiting, cancel := context.WithTimeout(ctx, l.timeout)
	defer cancel()
	for {
		if err := l.open(); err != nil {
			return err
		}
		err := l.file.Lock(waiting)
		if err != nil && waiting.Err() != nil && ctx.Err() == nil {
			return memory.Errorf(memory.KindTimeout, "lock", "another process holds the memory folder")
		}
		if err != nil {
			return err
		}
		same, err := l.inPlace()
		if err == nil && same {
			return nil
		}
		if err := errors.Join(err, l.file.Unlock(), l.close()); err != nil {
			return err
		}
		// Somebody removed .lock: take the new one.
	}
}

func (l *folderLock) open() error {
	if l.file != nil {
		return nil
	}
	if err := l.dir.unshare(lockName); err != nil {
		return err
	}
	f, err := l.dir.Open(lockName, unix.O_RDWR|unix.O_CREAT, 0o600)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.file = f
	return nil
}

func (l *folderLock) close() (err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file != nil {
		err = l.file.Close()
	}
	l.file = nil
	return err
}

// inPlace reports whether the file that is locked is still the one in the folder.
func (l *folderLock) inPlace() (bool, error) {
	mine, err := l.file.Stat()
	if err != nil {
		return false, err
	}
	there, err := l.dir.Lstat(lockName)
	return err == nil && mine.Inode == there.Inode, unless(err, os.ErrNotExist)
}

// set writes the position and makes its generation a new one. The lock is held.
func (l *folderLock) set(p position) error {
	p.Gen = l.nextGen()
	return l.put(p)
}

func (l *folderLock) put(p position) error {
	if _, err := l.file.WriteAt(l.dir.key().seal(positionTag, p), 0); err != nil {
		return err
	}
	l.take(p)
	return nil
}

// take makes a position that was read the one that is known.
func (l *folderLock) take(p position) {
	l.at = p
	l.gen.Store(p.Gen)
	l.ino.Store(p.Inode)
}

// nextGen is a number that no position of the folder had: .lock may have been
// lost in between.
func (l *folderLock) nextGen() uint64 { return max(l.at.Gen+1, uint64(time.Now().UnixNano())) }

// current reports whether no other process changed the folder since the position
// that is known. It needs no lock.
func (l *folderLock) current() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.file == nil {
		return false
	}
	p, err := readPosition(l.dir.key(), l.file)
	return err == nil && p.Gen != 0 && p.Gen == l.gen.Load()
}
