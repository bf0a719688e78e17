package file

import (
	"context"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// OpenOS returns the operating system's FS of the folder dir.
func OpenOS(dir string) (FS, error) {
	fd, err := retry(func() (int, error) {
		return unix.Open(dir, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC, 0)
	})
	if err != nil {
		return nil, fmt.Errorf("open folder: %w", err)
	}
	return osFS(fd), nil
}

type osFS int

func (d osFS) Open(name string, flags int, perm uint32) (File, error) {
	// O_NONBLOCK: a fifo in the place of a file must not hang us; no effect on
	// regular files (open(2)).
	fd, err := retry(func() (int, error) {
		return unix.Openat(int(d), name, flags|unix.O_CLOEXEC|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_NOCTTY, perm)
	})
	if err != nil {
		return nil, err
	}
	return osFile{os.NewFile(uintptr(fd), name)}, nil
}

func (d osFS) Lstat(name string) (Info, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(int(d), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return infoOf(&st), err
}

// folder opens a folder below.
func (d osFS) folder(name string) (*os.File, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(int(d), name, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	})
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
	names, err := f.Readdirnames(-1)
	return names, errors.Join(err, f.Close())
}

func (d osFS) Mkdir(name string, perm uint32) error { return unix.Mkdirat(int(d), name, perm) }

func (d osFS) Chown(name string, uid, gid int) error {
	return unix.Fchownat(int(d), name, uid, gid, unix.AT_SYMLINK_NOFOLLOW)
}

func (d osFS) Rename(from, to string, how RenameMode) error {
	flags := [...]uint{Replace: 0, NoReplace: unix.RENAME_NOREPLACE, Exchange: unix.RENAME_EXCHANGE}[how]
	return unix.Renameat2(int(d), from, int(d), to, flags)
}

func (d osFS) Remove(name string) error { return unix.Unlinkat(int(d), name, 0) }

func (d osFS) SyncDir(name string) error {
	if name == "." {
		return unix.Fsync(int(d))
	}
	f, err := d.folder(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d osFS) SyncAll() error { return unix.Syncfs(int(d)) }

func (d osFS) Close() error { return unix.Close(int(d)) }

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
		Regular: st.Mode&unix.S_IFMT == unix.S_IFREG,
		Dir:     st.Mode&unix.S_IFMT == unix.S_IFDIR,
	}
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
