package process

import (
	"context"
	"crypto/rand"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Redactor returns a text without its secrets, and whether it had any. An error
// means that the text could not be judged: it is not kept.
type Redactor func(ctx context.Context, text string) (clean string, masked bool, err error)

// Observer is told of changes that this store made, after they are durable and in
// the order of the turns. It must not block, and must not call the store. What
// other programs write is not told: see [Store.Sizes].
type Observer interface {
	// Appended tells of new turns; with none of them, that the process is new or
	// its description has changed.
	Appended(p Conversation, turns []Placed)
	// Ended tells that a process has an end, or another one than before.
	Ended(p Conversation)
	// Removed tells that a process is gone. p has its UUID and Project, and the
	// rest where it could be read.
	Removed(p Conversation)
}

// Options of a [Store]. The zero value reads; to take turns it needs Redact.
type Options struct {
	UID         uint32           // whose conversations they are
	Redact      Redactor         // nil: nothing is taken
	Observers   []Observer       // called in order
	NewID       func() string    // uuids of processes without an External; default version 7
	Now         func() time.Time // default time.Now
	LockTimeout time.Duration    // how long another program is waited for; default 10 s
	OpenLogs    int              // processes whose ids are kept in memory; default 64
}

// Store keeps the conversations of one user. It is safe for concurrent use, and
// any number of programs may have the same folder. It holds no file open between
// calls and needs no Close.
type Store struct {
	folder string
	opts   Options

	mu     sync.Mutex
	logs   map[string]*log // by folder name and uuid
	recent []string        // keys of logs, the latest last
	small  map[string]redacted
	salt   []byte
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
	if opts.NewID == nil {
		opts.NewID = func() string { return newV7(opts.Now()) }
	}
	if opts.LockTimeout <= 0 {
		opts.LockTimeout = 10 * time.Second
	}
	if opts.OpenLogs <= 0 {
		opts.OpenLogs = 64
	}
	s := &Store{folder: folder, opts: opts, logs: map[string]*log{}, small: map[string]redacted{}}
	return s, failure("open conversations", s.sweep())
}

// newV7 makes a uuid that sorts by time (RFC 9562, 5.7).
func newV7(now time.Time) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand
	var ms [8]byte
	binary.BigEndian.PutUint64(ms[:], uint64(now.UnixMilli()))
	copy(b[:6], ms[2:])
	return formatUUID(b, 7)
}

// root opens the folder of all projects.
func (s *Store) root() (dir, error) {
	top, err := openDir(s.folder)
	if err != nil {
		return dir{-1}, err
	}
	defer top.close()
	return top.sub(projectsName)
}

// makeRoot is root for those who are about to write.
func (s *Store) makeRoot() (dir, error) {
	if root, err := s.root(); !errors.Is(err, os.ErrNotExist) {
		return root, err
	}
	if err := makeAll(s.folder); err != nil {
		return dir{-1}, err
	}
	top, err := openDir(s.folder)
	if err != nil {
		return dir{-1}, err
	}
	defer top.close()
	return top.make(projectsName)
}

// makeAll is os.MkdirAll that is durable.
func makeAll(path string) error {
	fi, err := os.Stat(path)
	if err == nil && fi.IsDir() {
		return nil
	}
	parent := filepath.Dir(path)
	if parent != path {
		if err := makeAll(parent); err != nil {
			return err
		}
	}
	if err := os.Mkdir(path, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
		return err
	}
	at, err := openDir(parent)
	if err != nil {
		return err
	}
	defer at.close()
	return at.sync()
}

// sweep finishes what a crash cut off: the temporary folders of processes that
// never came to be, and removals.
func (s *Store) sweep() error {
	root, err := s.root()
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer root.close()
	lock, err := root.open(lockName, unix.O_RDWR)
	if errors.Is(err, unix.EROFS) || errors.Is(err, os.ErrPermission) {
		return nil // it can be read all the same
	}
	if err != nil {
		return unlessGone(err)
	}
	defer lock.Close()
	if _, err := retry(func() (int, error) { return 0, unix.Flock(int(lock.Fd()), unix.LOCK_EX|unix.LOCK_NB) }); err != nil {
		return nil // somebody is at work; who opens next may sweep
	}
	if tmp, err := root.sub(tmpName); err == nil {
		defer tmp.close()
		if err := s.empty(tmp, tmpName, nil); err != nil {
			return err
		}
	}
	trash, err := root.sub(trashName)
	if err != nil {
		return unlessGone(err)
	}
	defer trash.close()
	return s.empty(trash, trashName, func(uuid string) error { return s.bury(root, uuid) })
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
