package daemon

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// makeMountpoint makes the directory to mount on, where there is none. It must be
// empty: the store itself might lie in it. Nor may it lie in a mount, whose
// sessions it would hide.
func makeMountpoint(dir string, dirs *made) error {
	if fuse.IsDevice(dir) {
		return nil
	}
	if state, err := fuse.MountState(dir); err != nil || state != fuse.StateNone {
		if state == fuse.StateStale {
			*dirs = append(*dirs, dir) // the server that was killed would have removed it
		}
		return err
	}
	switch around, err := fuse.Around(dir); {
	case err != nil:
		return err
	case around != "":
		return fmt.Errorf("mount: %s lies in the mount at %s, and would hide what is there; choose another place", dir, around)
	}
	if err := dirs.make(dir); err != nil {
		return fmt.Errorf("make the mountpoint: %w", err)
	}
	return empty(dir)
}

// written are the devices that take requests.
var written = []string{"commit", "process", "profile", "recall"}

// empty refuses a directory with something in it.
func empty(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if len(files) == 0 {
		return nil
	}
	var requests []string
	for _, f := range files {
		if f.Type().IsRegular() && slices.Contains(written, f.Name()) {
			requests = append(requests, f.Name())
		}
	}
	hint := ""
	if len(requests) > 0 {
		hint = fmt.Sprintf("\n%s in it: requests that were written while nothing was mounted, and that nobody has read; look at them, then remove them",
			strings.Join(requests, ", "))
	}
	return fmt.Errorf("mount: %s is not empty; a mount would hide what is in it%s", dir, hint)
}

// made are the directories that this process made, outermost first.
type made []string

// make makes a directory, and those above it that are missing. One that is made where
// all may write is for this user alone.
func (m *made) make(dir string) error {
	if _, err := os.Stat(dir); !errors.Is(err, os.ErrNotExist) {
		return err // one that is no directory is refused by who reads it
	}
	if err := m.make(filepath.Dir(dir)); err != nil {
		return err
	}
	mode := os.FileMode(0o755)
	if fi, err := os.Stat(filepath.Dir(dir)); err == nil && fi.Mode()&0o002 != 0 {
		mode = 0o700
	}
	switch err := os.Mkdir(dir, mode); {
	case errors.Is(err, os.ErrExist): // somebody else has just made it, or it is a link to nothing
		_, err = os.Stat(dir)
		return err
	case err != nil:
		return err
	}
	*m = append(*m, dir)
	return nil
}

// remove removes the directories, up to the first that is in use: what is written
// to a device that is not mounted is to fail, not to make a file there. rmdir(2)
// spares what is not empty (ENOTEMPTY) and what is mounted on (EBUSY).
func (m *made) remove(log *slog.Logger) {
	for _, dir := range slices.Backward(*m) {
		if err := unix.Rmdir(dir); err != nil && !errors.Is(err, os.ErrNotExist) {
			log.Info("a directory that was made for the mount stays", "dir", dir, "err", err)
			break
		}
	}
	*m = nil
}

// removed reports whether a directory is not there any more.
func removed(dir string) bool {
	_, err := os.Lstat(dir)
	return errors.Is(err, os.ErrNotExist)
}
