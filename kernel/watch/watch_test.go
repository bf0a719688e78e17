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

func listen(t *testing.T, dirs ...string) (*ear, *watch.Watcher) {
	t.Helper()
	e := &ear{t: t, changes: make(chan watch.Change, 1024)}
	w, err := watch.Open(watch.Options{Quiet: 10 * time.Millisecond}, func(c watch.Change) { e.changes <- c })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, dir := range dirs {
		if err := w.Add(dir); err != nil {
			t.Fatal(err)
		}
	}
	return e, w
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
	w, err := watch.Open(watch.Options{Quiet: time.Second}, func(c watch.Change) { changes <- c })
	must(t, err)
	defer w.Close()
	must(t, w.Add(dir))
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
	w, err := watch.Open(watch.Options{Quiet: time.Second}, func(c watch.Change) { e.changes <- c })
	must(t, err)
	defer w.Close()
	must(t, w.Add(dir))
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
	e.until("both names", func(c watch.Change) bool {
		return slices.Contains(c.Paths, filepath.Join(link, "f")) && slices.Contains(c.Paths, filepath.Join(dir, "f"))
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
	e, w := listen(t, a, b)
	w.Remove(a)
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
	w, err := watch.Open(watch.Options{Quiet: time.Millisecond}, func(watch.Change) {
		mu.Lock()
		defer mu.Unlock()
		if left {
			return
		}
		close(entered)
		<-leave
		left = true
	})
	must(t, err)
	must(t, w.Add(dir))
	write(t, filepath.Join(dir, "f"), "1")
	<-entered
	closed := make(chan struct{})
	go func() {
		_ = w.Close()
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
