package watch_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/watch"
)

// TestExchangedFolders exchanges two watched folders, and unwatches them: the watcher
// survives, and hears them when they are watched again.
func TestExchangedFolders(t *testing.T) {
	root := t.TempDir()
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	must(t, os.Mkdir(a, 0o700))
	must(t, os.Mkdir(b, 0o700))
	var w watch.Watcher
	add(t, &w, root, time.Millisecond, func(watch.Change) {}) // keeps the inotify instance
	for range 300 {
		var folders []*watch.Folder
		watched := func(dir string) {
			f, err := w.Add(dir, watch.Options{Quiet: time.Millisecond}, func(watch.Change) {})
			must(t, err)
			folders = append(folders, f)
		}
		watched(a)
		watched(b)
		must(t, unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE))
		watched(a)
		for _, f := range folders {
			f.Close()
		}
	}
	e := &ear{t: t, changes: make(chan watch.Change, 1024)}
	for _, dir := range []string{a, b} {
		add(t, &w, dir, time.Millisecond, func(c watch.Change) { e.changes <- c })
		write(t, filepath.Join(dir, "f"), "1")
		e.hears(filepath.Join(dir, "f"))
	}
}
