package process

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// lock takes flock(2) on an open file; closing the file gives it back. It is
// polled, because a blocked flock can't be given up.
func (s *Store) lock(ctx context.Context, f *os.File, how int) error {
	deadline := time.Now().Add(s.opts.LockTimeout)
	for wait := 50 * time.Microsecond; ; wait = min(wait*2, time.Millisecond) {
		_, err := retry(func() (int, error) { return 0, unix.Flock(int(f.Fd()), how|unix.LOCK_NB) })
		if !errors.Is(err, unix.EWOULDBLOCK) {
			return err
		}
		if time.Now().After(deadline) {
			return memory.Errorf(memory.KindTimeout, "lock", "another process holds the conversation")
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// lockRoot takes the lock under which processes are made.
func (s *Store) lockRoot(ctx context.Context, root dir) (unlock func(), err error) {
	f, err := root.open(lockName, unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return nil, err
	}
	if err := s.lock(ctx, f, unix.LOCK_EX); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { _ = f.Close() }, nil
}
