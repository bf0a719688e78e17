package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// armTries bounds how often arm follows a folder that comes and goes.
const armTries = 16

// folder is one watched folder and where its watch is at the moment.
type folder struct {
	given string // as Add got it, clean
	abs   string // absolute and clean
	armed string // what the kernel watches: the real path of abs or of a parent
	here  bool   // whether armed is the folder itself
	info  fs.FileInfo
}

// arm watches the folder, or the nearest parent that exists. It reports whether
// the folder came, went or was replaced since the last time.
func (f *folder) arm(events *inotify) (moved bool, err error) {
	// A removed folder takes its watch with it. Its successor may well have the
	// same inode number, so comparing inodes is not enough.
	lost := f.here && !events.watched(f.armed)
	for range armTries {
		path, here := nearest(f.abs)
		err = events.add(path)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue // it went in the meantime
		}
		if err != nil {
			return false, armError(path, err)
		}
		info, statErr := os.Stat(path)
		if again, _ := nearest(f.abs); again != path || statErr != nil {
			continue // it came, or changed, in the meantime
		}
		moved = lost || f.armed != "" && (here || f.here) && (path != f.armed || !os.SameFile(info, f.info))
		f.armed, f.here, f.info = path, here, info
		return moved, nil
	}
	return true, armError(f.abs, err)
}

func armError(path string, err error) error {
	if errors.Is(err, syscall.ENOSPC) {
		return memory.Errorf(memory.KindInternal, "watch", "%s: no more inotify watches (see fs.inotify.max_user_watches)", path)
	}
	if err == nil {
		return memory.Errorf(memory.KindInternal, "watch", "%s: changes too fast", path)
	}
	return memory.Errorf(memory.KindInternal, "watch", "%s: %w", path, err)
}

// nearest returns the real path of the folder, or of its nearest parent that is
// a folder. Real, because inotify knows inodes: two names of one folder would
// share a watch descriptor, and events say that only.
func nearest(abs string) (path string, here bool) {
	for dir := abs; ; dir = filepath.Dir(dir) {
		if resolved, err := filepath.EvalSymlinks(dir); err == nil {
			if info, err := os.Stat(resolved); err == nil && info.IsDir() {
				return resolved, dir == abs
			}
		}
		if dir == filepath.Dir(dir) {
			return dir, dir == abs
		}
	}
}

// owns translates a path of the kernel's to the folder's own name for it. The
// folder itself is not one of its files.
func (f *folder) owns(path string) (string, bool) {
	if !f.here {
		return "", false
	}
	name, ok := strings.CutPrefix(path, f.armed+string(filepath.Separator))
	if f.armed == string(filepath.Separator) {
		name, ok = strings.CutPrefix(path, f.armed)
	}
	if !ok || name == "" || strings.ContainsRune(name, filepath.Separator) {
		return "", false
	}
	return filepath.Join(f.given, name), true
}
