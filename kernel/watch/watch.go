package watch

import (
	"errors"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	defaultQuiet = 200 * time.Millisecond
	paces        = 5    // how often events are fetched while a quiet time passes
	patience     = 10   // how many quiet times a steady stream may last untold
	maxPaths     = 4096 // more changed paths than this are told as a Rescan
)

// Change is what happened since the last one.
type Change struct {
	// Paths are the files and subfolders of watched folders that something
	// happened to, sorted, each once, under the folder's name as Add got it.
	Paths []string
	// Rescan says that Paths may not be all: look at everything.
	Rescan bool
	// Err is a failure of the watch itself. It goes on as well as it can.
	Err error
}

// Options adjust a Watcher. The zero value works.
type Options struct {
	// Quiet is how long nothing must happen before a change is told; 200 ms by
	// default.
	Quiet time.Duration
}

// Watcher watches folders until it is closed. Its methods may be called from
// any goroutine; Close not from within the user's function.
type Watcher struct {
	quiet  time.Duration
	tell   func(Change)
	events *inotify
	done   chan struct{}

	mu      sync.Mutex
	folders map[string]*folder // by absolute clean path
}

// Open starts a watcher that calls tell with every change. It watches nothing
// until [Watcher.Add]. The caller must Close it.
func Open(opt Options, tell func(Change)) (*Watcher, error) {
	events, err := newInotify()
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, "watch", "no inotify instance (see fs.inotify.max_user_instances): %w", err)
	}
	w := &Watcher{
		quiet:   opt.Quiet,
		tell:    tell,
		events:  events,
		done:    make(chan struct{}),
		folders: map[string]*folder{},
	}
	if w.quiet <= 0 {
		w.quiet = defaultQuiet
	}
	go w.run()
	return w, nil
}

// Add watches a folder, which need not exist. What changed in it before Add
// returned is not told. Adding it again does nothing.
func (w *Watcher) Add(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return memory.Errorf(memory.KindInternal, "watch", "%w", err)
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.folders[abs] != nil {
		return nil
	}
	f := &folder{given: filepath.Clean(dir), abs: abs}
	if _, err := f.arm(w.events); err != nil {
		return err
	}
	w.folders[abs] = f
	return nil
}

// Remove ends the watch of a folder. Changes that it saw already may still be
// told.
func (w *Watcher) Remove(dir string) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.folders, abs)
	w.prune()
}

// Close ends the watch and waits until no call of the user's function runs.
// Changes that were not told yet are dropped.
func (w *Watcher) Close() error {
	err := w.events.ring()
	<-w.done
	if err := errors.Join(err, w.events.close()); err != nil {
		return memory.Errorf(memory.KindInternal, "watch", "close: %w", err)
	}
	return nil
}

// run gathers events and tells them when the folders are quiet. It ends when the
// bell rings.
func (w *Watcher) run() {
	defer close(w.done)
	p := pending{paths: map[string]bool{}}
	for {
		going := true
		if p.since.IsZero() {
			var err error
			if going, err = w.events.wait(-1); err != nil {
				p.fail(err, time.Now())
			}
		}
		// What is done in several steps is fetched at once.
		if !going || !w.events.rest(w.quiet/paces) {
			return
		}
		some, lost, err := w.events.read(func(path string) { w.note(&p, path) })
		now := time.Now()
		switch {
		case err != nil:
			p.fail(err, now)
		case some:
			p.rescan = p.rescan || lost
			p.happened(now)
		}
		if p.ripe(now, w.quiet) {
			w.flush(&p)
		}
	}
}

// note takes in an event on a path of the kernel's.
func (w *Watcher) note(p *pending, path string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, f := range w.folders {
		if name, ok := f.owns(path); ok {
			p.add(name)
		}
	}
}

// flush mends the watches and tells what is pending.
func (w *Watcher) flush(p *pending) {
	c := p.take()
	moved, err := w.rearm()
	c.Rescan = c.Rescan || moved
	c.Err = errors.Join(c.Err, err)
	if len(c.Paths) > 0 || c.Rescan || c.Err != nil {
		w.tell(c)
	}
}

// rearm puts every watch where its folder is now. It reports whether one of the
// folders itself came, went or was replaced.
func (w *Watcher) rearm() (moved bool, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	var errs []error
	for _, f := range w.folders {
		m, err := f.arm(w.events)
		moved = moved || m
		errs = append(errs, err)
	}
	w.prune()
	return moved, errors.Join(errs...)
}

// prune removes watches that no folder needs any more.
func (w *Watcher) prune() {
	needed := map[string]bool{}
	for _, f := range w.folders {
		needed[f.armed] = true
	}
	for _, path := range w.events.list() {
		if !needed[path] {
			w.events.remove(path)
		}
	}
}

// pending is what happened and is not told yet.
type pending struct {
	paths  map[string]bool
	rescan bool
	err    error
	since  time.Time // of the first event; zero when there is none
	last   time.Time // of the last
}

func (p *pending) add(path string) {
	if len(p.paths) >= maxPaths {
		p.rescan = true
		return
	}
	p.paths[path] = true
}

func (p *pending) fail(err error, now time.Time) {
	p.rescan = true
	p.err = errors.Join(p.err, memory.Errorf(memory.KindInternal, "watch", "%w", err))
	p.happened(now)
}

func (p *pending) happened(now time.Time) {
	if p.since.IsZero() {
		p.since = now
	}
	p.last = now
}

// ripe reports whether it is time to tell.
func (p *pending) ripe(now time.Time, quiet time.Duration) bool {
	return !p.since.IsZero() && (now.Sub(p.last) >= quiet || now.Sub(p.since) >= patience*quiet)
}

func (p *pending) take() Change {
	c := Change{Rescan: p.rescan, Err: p.err}
	for path := range p.paths {
		c.Paths = append(c.Paths, path)
	}
	slices.Sort(c.Paths)
	*p = pending{paths: map[string]bool{}}
	return c
}
