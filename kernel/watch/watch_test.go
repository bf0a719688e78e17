package watch_test

import (
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/rnixfs/rnixfs/kernel/watch"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// patience is how long a test waits for what must come.
const patience = 20 * time.Second

// ear hears the changes of a watcher.
type ear struct {
	t       *testing.T
	changes chan watch.Change
}

// listen watches folders by one watcher and returns their watches.
func listen(t *testing.T, dirs ...string) (*ear, []*watch.Folder) {
	t.Helper()
	e := &ear{t: t, changes: make(chan watch.Change, 1024)}
	var w watch.Watcher
	var folders []*watch.Folder
	for _, dir := range dirs {
		folders = append(folders, add(t, &w, dir, 10*time.Millisecond, func(c watch.Change) { e.changes <- c }))
	}
	return e, folders
}

// add watches a folder until the test ends.
func add(t *testing.T, w *watch.Watcher, dir string, quiet time.Duration, tell func(watch.Change)) *watch.Folder {
	t.Helper()
	f, err := w.Add(dir, watch.Options{Quiet: quiet}, tell)
	must(t, err)
	t.Cleanup(f.Close)
	return f
}

// until waits for a change that fits.
func (e *ear) until(what string, fits func(watch.Change) bool) {
	e.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case c := <-e.changes:
			if c.Err != nil {
				e.t.Fatal(c.Err)
			}
			if fits(c) {
				return
			}
		case <-timeout:
			e.t.Fatalf("no change that says: %s", what)
		}
	}
}

func (e *ear) hears(path string) {
	e.t.Helper()
	e.until(path, func(c watch.Change) bool { return slices.Contains(c.Paths, path) })
}

func (e *ear) rescan() {
	e.t.Helper()
	e.until("rescan", func(c watch.Change) bool { return c.Rescan })
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	must(t, os.WriteFile(path, []byte(text), 0o600))
}

func TestFilesOfAFolder(t *testing.T) {
	dir := t.TempDir()
	old := filepath.Join(dir, "old")
	write(t, old, "1")
	e, _ := listen(t, dir)

	write(t, old, "2")
	e.hears(old)
	fresh := filepath.Join(dir, "fresh")
	write(t, fresh, "1")
	e.hears(fresh)
	write(t, filepath.Join(dir, ".tmp"), "3") // as editors save
	must(t, os.Rename(filepath.Join(dir, ".tmp"), old))
	e.hears(old)
	must(t, os.Remove(old))
	e.hears(old)
}

func TestABurstIsToldTogether(t *testing.T) {
	dir := t.TempDir()
	changes := make(chan watch.Change, 16)
	// A quiet time far longer than the burst takes, which one call must cover.
	add(t, &watch.Watcher{}, dir, time.Second, func(c watch.Change) { changes <- c })
	for i := range 50 {
		write(t, filepath.Join(dir, strconv.Itoa(i)), "x")
	}
	c := <-changes
	if len(c.Paths) != 50 || !slices.IsSorted(c.Paths) || c.Rescan {
		t.Errorf("got %d paths, sorted %v, rescan %v; want the 50 of the burst, sorted", len(c.Paths), slices.IsSorted(c.Paths), c.Rescan)
	}
}

func TestAStreamIsToldBeforeItEnds(t *testing.T) {
	dir := t.TempDir()
	e, _ := listen(t, dir)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				_ = os.WriteFile(filepath.Join(dir, "busy"), []byte("x"), 0o600)
			}
		}
	})
	e.hears(filepath.Join(dir, "busy"))
	close(stop)
	wg.Wait()
}

func TestManyPathsAreARescan(t *testing.T) {
	dir := t.TempDir()
	e := &ear{t: t, changes: make(chan watch.Change, 16)}
	add(t, &watch.Watcher{}, dir, time.Second, func(c watch.Change) { e.changes <- c })
	for i := range 4200 {
		must(t, os.Mkdir(filepath.Join(dir, strconv.Itoa(i)), 0o700))
	}
	e.rescan()
}

func TestAFolderThatComesLater(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "a", "b", "c")
	e, _ := listen(t, dir)
	must(t, os.MkdirAll(dir, 0o700))
	e.rescan()
	write(t, filepath.Join(dir, "f"), "1")
	e.hears(filepath.Join(dir, "f"))
}

func TestAFolderThatIsReplaced(t *testing.T) {
	for name, gone := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"renamed": func(dir string) error { return os.Rename(dir, dir+".old") },
	} {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "d")
			must(t, os.Mkdir(dir, 0o700))
			e, _ := listen(t, root, dir) // the parent too: it says what its watch says
			for range 5 {
				must(t, gone(dir))
				must(t, os.Mkdir(dir, 0o700))
				e.rescan()
				write(t, filepath.Join(dir, "f"), "1")
				e.hears(filepath.Join(dir, "f"))
				must(t, os.RemoveAll(dir+".old"))
			}
		})
	}
}

func TestTwoNamesOfOneFolder(t *testing.T) {
	root := t.TempDir()
	dir, link := filepath.Join(root, "real"), filepath.Join(root, "link")
	must(t, os.Mkdir(dir, 0o700))
	must(t, os.Symlink(dir, link))
	e, _ := listen(t, link, dir)
	write(t, filepath.Join(dir, "f"), "1")
	told := map[string]bool{}
	e.until("both names", func(c watch.Change) bool {
		for _, path := range c.Paths {
			told[path] = true
		}
		return told[filepath.Join(link, "f")] && told[filepath.Join(dir, "f")]
	})
}

func TestRelativeFolder(t *testing.T) {
	t.Chdir(t.TempDir())
	e, _ := listen(t, ".")
	write(t, "f", "1")
	e.hears("f")
}

func TestRemovedFolderIsSilent(t *testing.T) {
	root := t.TempDir()
	a, b := filepath.Join(root, "a"), filepath.Join(root, "b")
	must(t, os.Mkdir(a, 0o700))
	must(t, os.Mkdir(b, 0o700))
	e, folders := listen(t, a, b)
	folders[0].Close()
	write(t, filepath.Join(a, "f"), "1")
	write(t, filepath.Join(b, "f"), "1") // comes after it in the queue, so its report ends the wait
	e.until("b", func(c watch.Change) bool {
		if slices.Contains(c.Paths, filepath.Join(a, "f")) {
			t.Error("a folder that was removed is reported")
		}
		return slices.Contains(c.Paths, filepath.Join(b, "f"))
	})
}

func TestCloseWaitsForTheCall(t *testing.T) {
	dir := t.TempDir()
	entered, leave := make(chan struct{}), make(chan struct{})
	var mu sync.Mutex
	left := false
	f := add(t, &watch.Watcher{}, dir, time.Millisecond, func(watch.Change) {
		mu.Lock()
		defer mu.Unlock()
		if left {
			return
		}
		close(entered)
		<-leave
		left = true
	})
	write(t, filepath.Join(dir, "f"), "1")
	<-entered
	closed := make(chan struct{})
	go func() {
		f.Close()
		close(closed)
	}()
	select {
	case <-closed:
		t.Error("Close returned while the call ran")
	case <-time.After(20 * time.Millisecond):
	}
	close(leave)
	<-closed
	if !left {
		t.Error("Close returned before the call did")
	}
}

// TestManyFoldersOneInstance watches more folders than a user may have inotify
// instances, and gives everything back.
func TestManyFoldersOneInstance(t *testing.T) {
	before := instances(t)
	var w watch.Watcher
	told := make(chan int, 1024)
	folders := make([]*watch.Folder, 500)
	root := t.TempDir()
	for i := range folders {
		dir := filepath.Join(root, strconv.Itoa(i))
		must(t, os.Mkdir(dir, 0o700))
		f, err := w.Add(dir, watch.Options{Quiet: time.Millisecond}, func(watch.Change) { told <- i })
		must(t, err)
		folders[i] = f
	}
	if n := instances(t) - before; n != 1 {
		t.Errorf("%d inotify instances", n)
	}
	write(t, filepath.Join(root, "499", "f"), "1")
	if i := <-told; i != 499 {
		t.Errorf("folder %d is told of a file of 499", i)
	}
	for _, f := range folders {
		f.Close()
	}
	if n := instances(t) - before; n != 0 {
		t.Errorf("%d inotify instances are left", n)
	}
	e := &ear{t: t, changes: make(chan watch.Change, 16)}
	add(t, &w, root, time.Millisecond, func(c watch.Change) { e.changes <- c })
	write(t, filepath.Join(root, "again"), "1")
	e.hears(filepath.Join(root, "again"))
}

// instances counts this process's inotify instances.
func instances(t *testing.T) int {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	must(t, err)
	n := 0
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil && to == "anon_inode:inotify" {
			n++
		}
	}
	return n
}
