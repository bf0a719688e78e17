package durable

import (
	"context"
	"errors"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// How a file is locked (flock(2)).
const (
	Shared    = unix.LOCK_SH
	Exclusive = unix.LOCK_EX
)

// Lock takes flock(2) on an open file, and waits for it until ctx is done; closing
// the file gives it back. It polls, because a blocked flock can't be given up.
// Errors are those of ctx and of the system call.
func Lock(ctx context.Context, f *os.File, how int) error {
	for wait := 50 * time.Microsecond; ; wait = min(wait*2, time.Millisecond) {
		if got, err := TryLock(f, how); got || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
	}
}

// TryLock takes flock(2) on an open file unless somebody else holds it.
func TryLock(f *os.File, how int) (bool, error) {
	for {
		err := unix.Flock(int(f.Fd()), how|unix.LOCK_NB)
		switch {
		case errors.Is(err, unix.EINTR): // https://go.dev/issue/11180
		case errors.Is(err, unix.EWOULDBLOCK):
			return false, nil
		default:
			return err == nil, err
		}
	}
}

// WithLock runs fn while it holds the file at path, which it makes with mode 0600
// where it is missing.
func WithLock(ctx context.Context, path string, fn func() error) error {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	if err := Lock(ctx, f, Exclusive); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(fn(), f.Close())
}
