package file

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/durable"
)

// location is a folder's path, and which folder it was when it was opened.
type location struct {
	dir      string
	dev, ino uint64
}

// locate looks at a path; the zero location stands for one that is not there.
func locate(dir string) location {
	var st unix.Stat_t // os.Stat allocates, and this is asked at each request
	if _, err := retry(func() (int, error) { return 0, unix.Stat(dir, &st) }); err != nil {
		return location{}
	}
	return location{dir, st.Dev, st.Ino}
}

// makeFolder makes a folder and those above it, up to within.
func makeFolder(dir, within string, owner *Owner) error {
	var missing []string // outermost last
	for at := dir; at != filepath.Dir(at) && at != within; at = filepath.Dir(at) {
		if _, err := os.Lstat(at); err == nil {
			break
		}
		missing = append(missing, at)
	}
	for _, at := range slices.Backward(missing) {
		if err := os.Mkdir(at, 0o700); err != nil && !errors.Is(err, os.ErrExist) {
			return err
		}
	}
	for _, at := range missing {
		if err := errors.Join(give(at, owner), durable.SyncDir(filepath.Dir(at))); err != nil {
			return err
		}
	}
	return nil
}

func give(path string, owner *Owner) error {
	if owner == nil {
		return nil
	}
	return os.Lchown(path, owner.UID, owner.GID)
}
