package file

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// location is a folder's path, and which folder it was when it was opened.
type location struct {
	dir      string
	dev, ino uint64
}

// locate looks at a path; the zero location stands for one that is not there.
func locate(dir string) location {
	var st unix.Stat_t // os.Stat allocates, and this is asked at each request
	if retry(func() error { return unix.Stat(dir, &st) }) != nil {
		return location{}
	}
	return location{dir, st.Dev, st.Ino}
}

// OpenOS returns the operating system's FS of the folder dir.
func OpenOS(dir string) (FS, error) { return reach(dir, Options{}, false) }

// reach opens a folder, and makes it, and those above it, where they are missing and
// it is told to. The way to Within may have links, the way below may not.
func reach(dir string, opts Options, create bool) (d osFS, err error) {
	within := opts.Within
	base := cmp.Or(within, existing(dir))
	d, err = openPath(base, opts.User)
	if within != "" && (errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR)) {
		err = memory.Errorf(memory.KindUnavailable, "open", "the project's directory is gone: %q; its memory works again when it is back", within)
	}
	if err != nil {
		return d, err
	}
	err = d.owned()
	var st unix.Stat_t
	if at := opts.Folder; err == nil && at != (memory.Folder{}) && (unix.Fstat(d.fd, &st) != nil || at != memory.Folder{Dev: st.Dev, Ino: st.Ino}) {
		err = &memory.Error{
			Op: "open", Kind: memory.KindDenied, Err: fmt.Errorf("another directory has taken the place of the project's: %q", within),
			Hint: "change into the project's directory, and ask again",
		}
	}
	for name := range strings.SplitSeq(strings.TrimPrefix(dir[len(base):], "/"), "/") {
		if err == nil && name != "" {
			d, err = d.enter(name, create)
		}
	}
	if err != nil {
		_ = d.Close()
	}
	return d, err
}

// existing is the folder, or the nearest above it that there is.
func existing(dir string) string {
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
	}
	return dir
}

// enter replaces an open folder by one in it, which it makes if it is told to.
func (d osFS) enter(name string, create bool) (osFS, error) {
	fd, err := d.openat(name, unix.O_DIRECTORY|unix.O_RDONLY, 0)
	if create && errors.Is(err, unix.ENOENT) {
		if err = d.Mkdir(name, 0o700); err == nil || errors.Is(err, unix.EEXIST) {
			if err := d.SyncDir("."); err != nil {
				return d, err
			}
			return d.enter(name, false)
		}
	}
	switch {
	case errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.ELOOP):
		return d, memory.Errorf(memory.KindDenied, "open", "%s of this project is not a folder; links are not followed", name)
	case err != nil:
		return d, err
	}
	next := osFS{fd, d.user}
	return next, errors.Join(d.Close(), next.owned())
}

// owned refuses a folder of another user than the one that it is kept for.
func (d osFS) owned() error {
	var st unix.Stat_t
	if d.user != nil && (unix.Fstat(d.fd, &st) != nil || int(st.Uid) != d.user.UID) {
		return memory.Errorf(memory.KindDenied, "open", "the project does not belong to this user")
	}
	return nil
}
