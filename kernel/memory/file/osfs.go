package file

import (
	"context"
	"errors"
	"io"
	"os"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

// osFS is an open folder.
type osFS struct {
	fd   int
	user *User // whose rights are used; nil: this process's
}

// as makes a system call with the rights of the folder's user, so that root is led
// nowhere that the user could not go, whatever the user puts into the folder
// meanwhile, and what is made is the user's. These rights are the thread's
// (setfsuid(2)).
func (d osFS) as(call func() error) error {
	if d.user != nil {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer rights(unix.Geteuid(), unix.Getegid())
		if !rights(d.user.UID, d.user.GID) {
			return unix.EPERM
		}
	}
	return retry(call)
}

// openPath opens a folder, and follows links on the way to it.
func openPath(dir string, user *User) (d osFS, err error) {
	d.user = user
	err = retry(func() error {
		d.fd, err = unix.Open(dir, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
		return err
	})
	return d, err
}

// openat opens a name, or a path, below the folder. No part of it may be a link: each is
// opened by itself, since openat2(2) with RESOLVE_NO_SYMLINKS is not on every kernel.
func (d osFS) openat(path string, flags int, perm uint32) (fd int, err error) {
	if parent, name, ok := strings.Cut(path, "/"); ok {
		at, err := d.openat(parent, unix.O_DIRECTORY|unix.O_PATH, 0)
		if err != nil {
			return -1, err
		}
		defer unix.Close(at)
		return osFS{at, d.user}.openat(name, flags, perm)
	}
	// O_NONBLOCK: a fifo in the place of a file must not hang us; no effect on
	// regular files (open(2)).
	err = d.as(func() error {
		fd, err = unix.Openat(d.fd, path, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, perm)
		return err
	})
	return fd, err
}

func (d osFS) Open(name string, flags int, perm uint32) (File, error) {
	fd, err := d.openat(name, flags, perm)
	if err != nil {
		return nil, err
	}
	return osFile{os.NewFile(uintptr(fd), name)}, nil
}

func (d osFS) Lstat(name string) (Info, error) {
	var st unix.Stat_t
	err := d.as(func() error { return unix.Fstatat(d.fd, name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return infoOf(&st), err
}

// folder opens a folder below.
func (d osFS) folder(name string) (*os.File, error) {
	fd, err := d.openat(name, unix.O_DIRECTORY|unix.O_RDONLY, 0)
	if err != nil {
		return nil, err
	}
	return os.NewFile(uintptr(fd), name), nil
}

func (d osFS) ReadDir(name string) ([]string, error) {
	f, err := d.folder(name)
	if err != nil {
		return nil, err
	}
	names, err := f.Readdirnames(maxNames + 1)
	if errors.Is(err, io.EOF) { // an empty one
		err = nil
	}
	if len(names) > maxNames {
		err = memory.Errorf(memory.KindOverLimit, "read folder", "it has more than %d files; move some elsewhere", maxNames)
	}
	return names, errors.Join(err, f.Close())
}

func (d osFS) Mkdir(name string, perm uint32) error {
	return d.as(func() error { return unix.Mkdirat(d.fd, name, perm) })
}

func (d osFS) Rename(from, to string, how RenameMode) error {
	flags := [...]uint{Replace: 0, NoReplace: unix.RENAME_NOREPLACE, Exchange: unix.RENAME_EXCHANGE}[how]
	return d.as(func() error { return unix.Renameat2(d.fd, from, d.fd, to, flags) })
}

func (d osFS) Remove(name string) error {
	return d.as(func() error { return unix.Unlinkat(d.fd, name, 0) })
}

func (d osFS) SyncDir(name string) error {
	if name == "." {
		return unix.Fsync(d.fd)
	}
	f, err := d.folder(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

// SyncAll flushes the disk by an fsync(2) of the folder: ext4 without a journal writes
// its inodes after the flush of syncfs(2) (sync_filesystem in fs/sync.c).
func (d osFS) SyncAll() error { return errors.Join(unix.Syncfs(d.fd), unix.Fsync(d.fd)) }

func (d osFS) Close() error { return unix.Close(d.fd) }

type osFile struct{ *os.File }

func (f osFile) fd() int { return int(f.Fd()) }

func (f osFile) Datasync() error { return unix.Fdatasync(f.fd()) }

func (f osFile) Reserve(from, n int64) error {
	return unix.Fallocate(f.fd(), unix.FALLOC_FL_KEEP_SIZE, from, n)
}

func (f osFile) Stat() (Info, error) {
	var st unix.Stat_t
	err := unix.Fstat(f.fd(), &st)
	return infoOf(&st), err
}

func (f osFile) Lock(ctx context.Context) error {
	return durable.Lock(ctx, f.File, durable.Exclusive)
}

func (f osFile) Unlock() error { return unix.Flock(f.fd(), unix.LOCK_UN) }

func infoOf(st *unix.Stat_t) Info {
	return Info{
		Inode: st.Ino, Size: st.Size, ModTime: st.Mtim.Nano(),
		Links:   uint64(st.Nlink), //nolint:unconvert // a uint32 on arm64
		Regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
		Dir:     st.Mode&unix.S_IFMT == unix.S_IFDIR,
	}
}

// retry repeats a call that a signal interrupted: the runtime preempts by
// signals.
func retry(call func() error) error {
	for {
		if err := call(); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}
