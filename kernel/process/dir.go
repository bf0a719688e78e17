package process

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// dir is an open folder. Each step down from it is one name, and links are not
// followed, so that nothing leads out of the store.
type dir struct{ fd int }

func openDir(path string) (dir, error) {
	return dirAt(unix.AT_FDCWD, path, 0)
}

func dirAt(at int, name string, flags int) (dir, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(at, name, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC|flags, 0)
	})
	if err != nil {
		return dir{-1}, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return dir{fd}, nil
}

func (d dir) close() {
	if d.fd >= 0 {
		_ = unix.Close(d.fd) // nothing was written through it
	}
}

// sub opens the folders named, one below the other.
func (d dir) sub(names ...string) (dir, error) {
	at := d
	for i, name := range names {
		next, err := dirAt(at.fd, name, unix.O_NOFOLLOW)
		if i > 0 {
			at.close()
		}
		if err != nil {
			return dir{-1}, err
		}
		at = next
	}
	return at, nil
}

// make opens a folder, and makes it durably where it is not there.
func (d dir) make(name string) (dir, error) {
	err := unix.Mkdirat(d.fd, name, 0o700)
	if err == nil {
		err = d.sync()
	} else if errors.Is(err, unix.EEXIST) {
		err = nil
	}
	if err != nil {
		return dir{-1}, &os.PathError{Op: "mkdir", Path: name, Err: err}
	}
	return d.sub(name)
}

// open opens a regular file. O_NONBLOCK: a fifo in its place must not hang us.
func (d dir) open(name string, flags int) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(d.fd, name, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, 0o600)
	})
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return nil, &os.PathError{Op: "open", Path: name, Err: errors.Join(err, errors.New("not a regular file"), unix.Close(fd))}
	}
	return os.NewFile(uintptr(fd), name), nil
}

// stat looks at a path below, without following a link at its end.
func (d dir) stat(name string) (unix.Stat_t, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return st, err
}

func (d dir) names() ([]string, error) {
	// A descriptor of its own: reading a folder moves its offset.
	at, err := dirAt(d.fd, ".", 0)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(at.fd), ".")
	defer f.Close()
	return f.Readdirnames(-1)
}

func (d dir) rename(from string, to dir, name string) error {
	if err := unix.Renameat(d.fd, from, to.fd, name); err != nil {
		return &os.LinkError{Op: "rename", Old: from, New: name, Err: err}
	}
	return nil
}

func (d dir) sync() error { return unix.Fsync(d.fd) }

// read returns a whole small file.
func (d dir) read(name string, limit int64) ([]byte, error) {
	f, err := d.open(name, unix.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	raw, err := io.ReadAll(io.LimitReader(f, limit+1))
	if err == nil && int64(len(raw)) > limit {
		err = fmt.Errorf("%s is longer than %d bytes", name, limit)
	}
	return raw, err
}

// write makes a new file, durable but for its name.
func (d dir) write(name string, text []byte) error {
	f, err := d.open(name, unix.O_WRONLY|unix.O_CREAT|unix.O_TRUNC)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// replace puts a file in the place of another, durably, whole or not at all. Its
// caller holds a lock under which no one else replaces the same file.
func (d dir) replace(name string, value any) error {
	raw, err := json.MarshalIndent(value, "", "  ")
	if err != nil {
		return err
	}
	tmp := name + ".tmp"
	if err := d.write(tmp, append(raw, '\n')); err != nil {
		return errors.Join(err, unlessGone(unix.Unlinkat(d.fd, tmp, 0)))
	}
	if err := d.rename(tmp, d, name); err != nil {
		return err
	}
	return d.sync()
}

func sameFile(f *os.File, st unix.Stat_t) bool {
	fi, err := f.Stat()
	if err != nil {
		return false
	}
	mine, ok := fi.Sys().(*syscall.Stat_t)
	return ok && mine.Ino == st.Ino && mine.Dev == st.Dev
}

func unlessGone(err error) error {
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// retry repeats a call that a signal interrupted: the runtime preempts by
// signals.
func retry(call func() (int, error)) (int, error) {
	for {
		n, err := call()
		if !errors.Is(err, unix.EINTR) {
			return n, err
		}
	}
}
