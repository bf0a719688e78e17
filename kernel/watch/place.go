package watch

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// place is where the watch of a folder is at the moment.
type place struct {
	path string // that the kernel watches: the real path of the folder or of a parent
	here bool   // it is the folder itself
	info fs.FileInfo
	lost bool // the folder was removed or renamed, and its watch with it
}

// armTries bounds how often arm follows a folder that comes and goes.
const armTries = 16

// arm watches the folder, or the nearest parent that exists. It reports whether
// the folder came, went or was replaced since the last time. Watcher.mu is held.
func (f *Folder) arm() (moved bool, err error) {
	// A removed folder's successor may have the same inode number, so that comparing
	// inodes is not enough.
	was := f.place
	if was.lost {
		f.w.leave(f)
	}
	for range armTries {
		path, here := nearest(f.abs)
		err = f.w.events.Add(path)
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
		moved = was.path != "" && (here || was.here) && (was.lost || path != was.path || !os.SameFile(info, was.info))
		if path != was.path {
			f.w.leave(f)
		}
		f.place = place{path: path, here: here, info: info}
		if f.w.folders[path] == nil {
			f.w.folders[path] = map[*Folder]bool{}
		}
		f.w.folders[path][f] = true
		return moved, nil
	}
	return true, armError(f.abs, err)
}

// leave gives up the watch of a folder. mu is held.
func (w *Watcher) leave(f *Folder) {
	path := f.place.path
	delete(w.folders[path], f)
	if len(w.folders[path]) == 0 {
		delete(w.folders, path)
		w.unwatch(path)
	}
}

// unwatch removes a path from fsnotify, whose Remove panics where the folder was
// exchanged with another watched one (renameat2(2)): Add then finds the other's watch,
// deletes its own, and keeps the path. Unlike github.com/fsnotify/fsnotify/issues/616
// this is not mended there. Its mutex is free after the panic.
func (w *Watcher) unwatch(path string) {
	defer func() { _ = recover() }()
	_ = w.events.Remove(path) // gone already: that is what was wanted
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
