package rpc

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// ErrInUse is the error of a socket at which another program listens.
var ErrInUse = errors.New("another program listens there")

// bind makes the socket at path, for its user alone or for all, and replaces one at which
// nobody listens.
func bind(path string, shared bool) (ln *net.UnixListener, err error) {
	ctx := context.Background()
	if err := stale(ctx, path); err != nil {
		return nil, err
	}
	// The file has the mode of the socket, less the umask, from the first moment on.
	config := net.ListenConfig{Control: func(_, _ string, c syscall.RawConn) error {
		var err error
		cerr := c.Control(func(fd uintptr) { err = unix.Fchmod(int(fd), 0o600) })
		return errors.Join(err, cerr)
	}}
	l, err := config.Listen(ctx, "unix", path)
	if err != nil {
		return nil, err
	}
	if shared {
		err = os.Chmod(path, 0o666) //nolint:gosec // who connects is known by uid
	}
	return l.(*net.UnixListener), err //nolint:errcheck // of "unix"
}

// stale removes a socket at which nobody listens.
func stale(ctx context.Context, path string) error {
	switch info, err := os.Lstat(path); {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("what is there is no socket")
	}
	c, err := new(net.Dialer).DialContext(ctx, "unix", path)
	switch {
	case err == nil:
		_ = c.Close()
		return ErrInUse
	case errors.Is(err, unix.ECONNREFUSED):
		return os.Remove(path)
	}
	return err
}
