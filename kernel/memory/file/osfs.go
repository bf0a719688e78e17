package file

import (
	"errors"
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// OpenOS returns the operating system's FS of the folder dir. It uses raw
// descriptors: os.File would try to register each with the poller.
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
	return osFile(fd), nil
}

func (d osFS) Lstat(name string) (Info, error) {
	var st unix.Stat_t
	_, err := retry(func() (int, error) { return 0, unix.Fstatat(int(d), name, &st, unix.AT_SYMLINK_NOFOLLOW) })
	return infoOf(&st), err
}

func (d osFS) ReadDir(name string) ([]string, error) {
	fd, err := retry(func() (int, error) {
		return unix.Openat(int(d), name, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	})
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), name)
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
	fd, err := retry(func() (int, error) {
		return unix.Openat(int(d), name, unix.O_DIRECTORY|unix.O_RDONLY|unix.O_CLOEXEC|unix.O_NOFOLLOW, 0)
	})
	if err != nil {
		return err
	}
	return errors.Join(unix.Fsync(fd), unix.Close(fd))
}

func (d osFS) SyncAll() error { return unix.Syncfs(int(d)) }

func (d osFS) Close() error { return unix.Close(int(d)) }

type osFile int

func (f osFile) ReadAt(b []byte, off int64) (int, error) {
	done := 0
	for done < len(b) {
		n, err := retry(func() (int, error) { return unix.Pread(int(f), b[done:], off+int64(done)) })
		if err != nil {
			return done, err
		}
		if n == 0 {
			return done, io.EOF
		}
		done += n
	}
	return done, nil
}

func (f osFile) WriteAt(b []byte, off int64) (int, error) {
	done := 0
	for done < len(b) {
		n, err := retry(func() (int, error) { return unix.Pwrite(int(f), b[done:], off+int64(done)) })
		if err != nil {
			return done, err
		}
		done += n
	}
	return done, nil
}

func (f osFile) Truncate(size int64) error { return unix.Ftruncate(int(f), size) }
func (f osFile) Sync() error               { return unix.Fsync(int(f)) }
func (f osFile) Datasync() error           { return unix.Fdatasync(int(f)) }

func (f osFile) Reserve(from, n int64) error {
	return unix.Fallocate(int(f), unix.FALLOC_FL_KEEP_SIZE, from, n)
}

func (f osFile) Chown(uid, gid int) error { return unix.Fchown(int(f), uid, gid) }
func (f osFile) Close() error             { return unix.Close(int(f)) }

func (f osFile) Stat() (Info, error) {
	var st unix.Stat_t
	err := unix.Fstat(int(f), &st)
	return infoOf(&st), err
}

func (f osFile) TryLock() (bool, error) {
	_, err := retry(func() (int, error) { return 0, unix.Flock(int(f), unix.LOCK_EX|unix.LOCK_NB) })
	return err == nil, unlessBusy(err)
}

func (f osFile) Unlock() error { return unix.Flock(int(f), unix.LOCK_UN) }

func unlessBusy(err error) error {
	if errors.Is(err, unix.EAGAIN) || errors.Is(err, unix.EACCES) {
		return nil
	}
	return err
}

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
