package process

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/google/uuid"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Redactor returns a text without its secrets, and whether it had any. An error
// means that the text could not be judged: it is not kept.
type Redactor func(ctx context.Context, text string) (clean string, masked bool, err error)

// Options of a [Store]. The zero value reads; to take turns it needs Redact.
type Options struct {
	UID      uint32           // whose conversations they are
	Redact   Redactor         // nil: nothing is taken
	Now      func() time.Time // default time.Now
	OpenLogs int              // conversations whose ids are kept in memory; default 64
}

// Store keeps the conversations of one user. It is safe for concurrent use, and
// any number of programs may have the same folder. It holds no file open between
// calls and needs no Close.
type Store struct {
	folder string
	opts   Options

	saltMu sync.Mutex
	salt   []byte // guarded by saltMu

	mu     sync.Mutex
	logs   map[place]*log
	recent []place // of logs, the latest last
	small  map[string]redacted
	count  counts
}

// ErrRemoved is what Begin returns of a conversation that was removed: it does
// not come back.
var ErrRemoved = errors.New("the conversation was removed")

// Open opens the store in a folder, which need not be there: the first Begin
// makes it. It finishes removals that a crash cut off.
func Open(folder string, opts Options) (*Store, error) {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	if opts.OpenLogs <= 0 {
		opts.OpenLogs = 64
	}
	s := &Store{folder: folder, opts: opts, logs: map[place]*log{}, small: map[string]redacted{}}
	return s, failure("open conversations", s.sweep())
}

// newUUID makes a uuid that sorts by time (RFC 9562, 5.7).
func newUUID() string { return uuid.Must(uuid.NewV7()).String() }

// sweep finishes what a crash cut off: the making of conversations that never came
// to be, and removals.
func (s *Store) sweep() error {
	root, err := s.root()
	if err != nil {
		return unlessGone(err)
	}
	defer root.Close()
	lock, err := openFile(root, lockName, os.O_RDWR)
	if errors.Is(err, unix.EROFS) || errors.Is(err, os.ErrPermission) {
		return nil // it can be read all the same
	}
	if err != nil {
		return unlessGone(err)
	}
	defer lock.Close()
	if got, err := durable.TryLock(lock, durable.Exclusive); !got || err != nil {
		return nil // somebody is at work; a later Open sweeps
	}
	if err := root.RemoveAll(tmpName); err != nil {
		return err
	}
	trash, err := names(root, trashName)
	for _, uuid := range trash {
		err = errors.Join(err, finish(root, uuid))
	}
	return err
}

// lockTime is how long another program is waited for.
const lockTime = 10 * time.Second

// lock takes flock(2) on an open file; closing the file gives it back.
func lock(ctx context.Context, f *os.File, how int) error {
	bounded, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	err := durable.Lock(bounded, f, how)
	if err != nil && bounded.Err() != nil && ctx.Err() == nil {
		return memory.Errorf(memory.KindTimeout, "lock", "another program holds the conversation")
	}
	return err
}

// lockRoot takes the lock under which conversations are made.
func lockRoot(ctx context.Context, root *os.Root) (unlock func(), err error) {
	f, err := openFile(root, lockName, os.O_RDWR|os.O_CREATE)
	if err != nil {
		return nil, err
	}
	if err := lock(ctx, f, durable.Exclusive); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}

// withLog runs fn with a conversation's locks held: no one else, of all programs,
// appends to it, describes it anew or removes it.
func (s *Store) withLog(ctx context.Context, root *os.Root, at place, fn func(*log, *os.File) error) error {
	l := s.logOf(at)
	l.mu.Lock()
	defer l.mu.Unlock()
	if !isDir(root, at.of("")) {
		return os.ErrNotExist
	}
	f, err := openFile(root, at.of(turnsFile), os.O_RDWR|os.O_CREATE)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := lock(ctx, f, durable.Exclusive); err != nil {
		return err
	}
	// While the lock was waited for, the conversation may have been removed.
	mine, err := f.Stat()
	if err != nil {
		return err
	}
	if there, err := root.Lstat(at.of(turnsFile)); err != nil || !os.SameFile(mine, there) {
		return os.ErrNotExist
	}
	return fn(l, f)
}

// failure makes an error of this package's own kind of any other.
func failure(op string, err error) error {
	var e *memory.Error
	switch {
	case err == nil, errors.As(err, &e), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, os.ErrNotExist):
		return memory.Errorf(memory.KindNotFound, op, "no such conversation")
	}
	return memory.Errorf(memory.KindInternal, op, "%w", err)
}
