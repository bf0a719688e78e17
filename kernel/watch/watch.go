package watch

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
)

const defaultQuiet = 200 * time.Millisecond

// Watcher watches folders. The zero value is ready, and holds resources only
// while it has folders. Its methods may be called from any goroutine.
type Watcher struct {
	mu      sync.Mutex
	events  *fsnotify.Watcher           // nil: no folder is watched
	ended   chan struct{}               // closed when the goroutine that reads events has returned
	folders map[string]map[*Folder]bool // by the path that the kernel watches for them
}

// Options adjust the watch of one folder. The zero value works.
type Options struct {
	// Quiet is how long nothing must happen before a change is told; 200 ms by
	// default.
	Quiet time.Duration
}

// Folder is the watch of one folder, until it is closed.
type Folder struct {
	w     *Watcher
	given string // as Add got it, clean
	abs   string // absolute and clean
	quiet time.Duration
	tell  func(Change)
	calls sync.WaitGroup

	// Guarded by Watcher.mu.
	place   place
	pending pending
	timer   *time.Timer // runs while something is pending and nothing is being told
	telling bool
	closed  bool
}

// Add watches a folder, which need not exist, and calls tell with its changes.
// What changed in it before Add returned is not told. An error means that the
// system gives no watch (a limit of inotify): nothing is watched then.
func (w *Watcher) Add(dir string, opt Options, tell func(Change)) (*Folder, error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{w: w, given: filepath.Clean(dir), abs: abs, quiet: opt.Quiet, tell: tell}
	if f.quiet <= 0 {
		f.quiet = defaultQuiet
	}
	w.mu.Lock()
	err = w.start()
	if err == nil {
		_, err = f.arm()
	}
	stop := w.stopIfIdle()
	w.mu.Unlock()
	stop()
	if err != nil {
		return nil, err
	}
	return f, nil
}

// Close ends the watch and waits until no call of tell runs. Changes that were
// not told yet are dropped. It must not be called from within tell.
func (f *Folder) Close() {
	w := f.w
	w.mu.Lock()
	if !f.closed {
		f.closed = true
		w.leave(f)
		if f.timer != nil {
			f.timer.Stop()
		}
	}
	stop := w.stopIfIdle()
	w.mu.Unlock()
	stop()
	f.calls.Wait()
}

// start opens the inotify instance where there is none. mu is held.
func (w *Watcher) start() error {
	if w.events != nil {
		return nil
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("no inotify instance (see fs.inotify.max_user_instances): %w", err)
	}
	w.events, w.ended, w.folders = events, make(chan struct{}), map[string]map[*Folder]bool{}
	go w.run(events, w.ended)
	return nil
}

// stopIfIdle takes the instance away from a watcher without folders, and returns
// what closes it once mu is let go. mu is held.
func (w *Watcher) stopIfIdle() func() {
	if w.events == nil || len(w.folders) > 0 {
		return func() {}
	}
	events, ended := w.events, w.ended
	w.events = nil
	return func() {
		_ = events.Close() // its errors are those of close(2)
		<-ended
	}
}

// run hands events to the folders until the instance is closed.
func (w *Watcher) run(events *fsnotify.Watcher, ended chan struct{}) {
	defer close(ended)
	for {
		select {
		case e, ok := <-events.Events:
			if !ok {
				return
			}
			w.note(events, e)
		case err, ok := <-events.Errors:
			if !ok {
				return
			}
			w.fail(events, err)
		}
	}
}

// note hands an event to the folders that it is about: those that are watched by
// the path itself, and by the folder that it is in.
func (w *Watcher) note(from *fsnotify.Watcher, e fsnotify.Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events != from || e.Name == "" {
		return
	}
	for f := range w.folders[e.Name] {
		f.place.lost = f.place.lost || e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)
		f.happened()
	}
	for f := range w.folders[filepath.Dir(e.Name)] {
		if f.place.here {
			f.pending.add(filepath.Join(f.given, filepath.Base(e.Name)))
		}
		f.happened()
	}
}

// fail tells every folder of an error of the instance. Events that the kernel
// dropped are none: everything is looked at again.
func (w *Watcher) fail(from *fsnotify.Watcher, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.events != from {
		return
	}
	for _, folders := range w.folders {
		for f := range folders {
			f.pending.rescan = true
			if !errors.Is(err, fsnotify.ErrEventOverflow) {
				f.pending.err = err
			}
			f.happened()
		}
	}
}

// happened makes sure that what is pending is told. Watcher.mu is held.
func (f *Folder) happened() {
	if f.pending.happened(time.Now()) && !f.telling {
		f.timer = time.AfterFunc(f.quiet, f.ripe)
	}
}

// ripe tells what is pending, unless more keeps happening.
func (f *Folder) ripe() {
	w := f.w
	w.mu.Lock()
	if f.closed {
		w.mu.Unlock()
		return
	}
	if wait := f.pending.wait(time.Now(), f.quiet); wait > 0 {
		f.timer.Reset(wait)
		w.mu.Unlock()
		return
	}
	c := f.pending.take()
	moved, err := f.arm()
	c.Rescan, c.Err = c.Rescan || moved, errors.Join(c.Err, err)
	f.telling = true
	f.calls.Add(1)
	w.mu.Unlock()
	defer f.calls.Done()
	if len(c.Paths) > 0 || c.Rescan || c.Err != nil {
		f.tell(c)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	f.telling = false
	if !f.closed && !f.pending.since.IsZero() {
		f.timer = time.AfterFunc(f.quiet, f.ripe)
	}
}

func armError(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOSPC):
		return fmt.Errorf("%s: no more inotify watches (see fs.inotify.max_user_watches)", path)
	case err == nil:
		return fmt.Errorf("%s: changes too fast", path)
	}
	return fmt.Errorf("watch %s: %w", path, err)
}
