package file

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/watch"
)

const (
	maxBatch = 64 // changes that become durable together
	// quiet is how long a folder must be quiet before an edit is read: editors
	// write in several steps.
	quiet = 75 * time.Millisecond
)

// worker writes the changes, takes in edits by hand as they happen, and makes a
// checkpoint when nothing does. Its owner is the Provider, whose Close waits for it.
type worker struct {
	folder    *openFolder
	path      string
	exclusive func(ctx context.Context, fn func() error) error // runs fn with the folder caught up
	requests  chan *request
	ctx       context.Context
	cancel    context.CancelFunc
	opened    chan struct{} // closed when the first state stands
	stopped   chan struct{} // closed when no request is taken any more
	once      sync.Once
	failures  memory.Failures

	mu        sync.Mutex
	watch     *watch.Folder // nil: not watching
	unwatched error         // why there is no watch, where there was to be one
}

// newWorker begins to watch: what is edited while the folder is being read is told
// after that.
func newWorker(f *openFolder, path string, exclusive func(context.Context, func() error) error) *worker {
	w := &worker{
		folder: f, path: path, exclusive: exclusive,
		requests: make(chan *request), opened: make(chan struct{}), stopped: make(chan struct{}),
	}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	if f.opts.Watcher != nil {
		w.addWatch()
		if err := w.lastProblem(); err != nil {
			f.opts.Logger.Warn("edits by hand are looked for, not told of", "folder", path, "error", err)
		}
	}
	return w
}

// addWatch asks for a watch. Where there is none to be had, idle looks at the files.
func (w *worker) addWatch() {
	f, err := w.folder.opts.Watcher.Add(w.path, watch.Options{Quiet: quiet}, w.told)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.watch, w.unwatched = f, err
}

// lastProblem is why there is no watch.
func (w *worker) lastProblem() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.unwatched
}

// start begins the work. The first state stands.
func (w *worker) start() {
	close(w.opened)
	go w.run()
}

// stop ends the work and waits for it; started: start was called.
func (w *worker) stop(started bool) {
	w.once.Do(func() {
		w.cancel()
		if started {
			<-w.stopped
		}
		if w.watch != nil {
			w.watch.Close()
		}
	})
}

func (w *worker) run() {
	defer close(w.stopped)
	tick := time.NewTicker(w.folder.opts.Idle)
	defer tick.Stop()
	var last int64
	for {
		select {
		case <-w.ctx.Done():
			return
		case r := <-w.requests:
			w.serve(r)
		case <-tick.C:
			last = w.idle(last)
		}
	}
}

// serve answers a request, and all others that wait.
func (w *worker) serve(r *request) {
	batch := []*request{r}
	for more := true; more && len(batch) < maxBatch; {
		select {
		case r := <-w.requests:
			batch = append(batch, r)
		default:
			more = false
		}
	}
	// The wait for the lock must not depend on one caller's patience.
	err := w.exclusive(context.WithoutCancel(r.ctx), func() error { return w.folder.apply(batch) })
	if err != nil {
		fail(batch, err)
	}
	for _, r := range batch {
		close(r.done)
	}
	if len(batch) > 1 { // those who were just answered may want the next batch together
		runtime.Gosched()
	}
}

// idle makes a checkpoint when a whole period passed without a change, and looks
// for edits where nothing tells of them. It returns the last change.
func (w *worker) idle(last int64) int64 {
	if w.lastProblem() != nil {
		w.addWatch()
		w.report("take in edits", w.exclusive(w.ctx, func() error { return w.folder.reconcileAll(w.ctx) }))
	}
	s := w.folder.published.Load().Sequence
	if s == last && w.folder.logs.unsynced.Load() {
		w.report("checkpoint", w.exclusive(w.ctx, w.folder.logs.checkpoint))
	}
	return s
}

// told takes in what the watch saw. Most of it is our own writing.
func (w *worker) told(c watch.Change) {
	select {
	case <-w.opened:
	case <-w.ctx.Done():
		return
	}
	if c.Err != nil {
		w.folder.opts.Logger.Warn("watch", "error", c.Err)
	}
	var names []string
	for _, path := range c.Paths {
		if name := filepath.Base(path); isEntryName(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 && !c.Rescan {
		return
	}
	w.report("take in edits", w.exclusive(w.ctx, func() error {
		if c.Rescan {
			return w.folder.reconcileAll(w.ctx)
		}
		return w.folder.reconcile(w.ctx, w.folder.catalog.differing(names))
	}))
}

func (w *worker) report(what string, err error) {
	if errors.Is(err, context.Canceled) || errors.Is(err, errClosed) {
		return
	}
	if errors.Is(err, os.ErrNotExist) && locate(w.path) == (location{}) {
		w.folder.opts.Logger.Debug("the folder is gone", "folder", w.path, "work", what)
		err = nil // who removed a project knows
	}
	w.failures.Report(w.folder.opts.Logger, what, err, "folder", w.path)
}
