package file

import (
	"context"
	"errors"
	"runtime"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	maxBatch = 64 // changes that become durable together
	// maxMoving is how many looks in a row may find the folder changed since the one
	// before. Editors write in several steps: an edit is read when nothing has moved
	// between two looks.
	maxMoving = 8
	// lookShare is the part of the time that looking at files may take.
	lookShare = 100
)

// worker writes the changes, takes in edits by hand, and makes a checkpoint when nothing
// does. Its owner is the Provider, whose Close waits for it.
type worker struct {
	folder    *openFolder
	path      string
	exclusive func(ctx context.Context, fn func() error) error // runs fn with the folder caught up
	requests  chan *request
	ctx       context.Context
	cancel    context.CancelFunc
	stopped   chan struct{} // closed when no request is taken any more
	failures  memory.Failures

	known  uint64 // signature of the folder whose edits were taken in
	last   uint64 // of the last look
	moving int    // looks in a row that found another one than the look before
}

func newWorker(f *openFolder, path string, exclusive func(context.Context, func() error) error) *worker {
	w := &worker{folder: f, path: path, exclusive: exclusive, requests: make(chan *request), stopped: make(chan struct{})}
	w.ctx, w.cancel = context.WithCancel(context.Background())
	return w
}

// stop ends the work and waits for it.
func (w *worker) stop() {
	w.cancel()
	<-w.stopped
}

func (w *worker) run() {
	defer close(w.stopped)
	tick := time.NewTicker(w.folder.opts.Idle)
	defer tick.Stop()
	look := time.NewTimer(w.folder.opts.Follow)
	defer look.Stop()
	if w.folder.opts.Follow == 0 {
		look.Stop()
	}
	var last int64
	for {
		select {
		case <-w.ctx.Done():
			return
		case r := <-w.requests:
			w.serve(r)
		case <-tick.C:
			last = w.idle(last)
		case <-look.C:
			look.Reset(w.look())
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

// idle makes a checkpoint when a whole period passed without a change. It returns the
// last change.
func (w *worker) idle(last int64) int64 {
	s := w.folder.published.Load().view.Sequence
	if s == last && w.folder.logs.unsynced.Load() {
		w.report("checkpoint", w.exclusive(w.ctx, w.folder.logs.checkpoint))
	}
	return s
}

// look takes in the edits by hand since the last look, and returns when to look again.
func (w *worker) look() time.Duration {
	begin := time.Now()
	now := signature(w.folder.dir)
	next := max(w.folder.opts.Follow, lookShare*time.Since(begin))
	if now != w.last && w.moving < maxMoving {
		w.last = now
		w.moving++
		return next
	}
	if now != w.known {
		w.report("take in edits", w.exclusive(w.ctx, func() error { return w.folder.reconcileAll(w.ctx) }))
	}
	w.last, w.known, w.moving = now, now, 0
	return next
}

func (w *worker) report(what string, err error) {
	if !errors.Is(err, context.Canceled) && !errors.Is(err, errClosed) {
		w.failures.Report(w.folder.opts.Logger, what, err, "folder", w.path)
	}
}
