package fuse

import (
	"context"
	"sync"
	"time"
)

// watch ends waits at their deadline. It has one ticker for all, which runs while
// there is something to watch and a little longer: a timer for each request would
// wake a thread of the scheduler for each request, which costs more than the
// request. Deadlines are kept to within a fiftieth.
type watch struct {
	after time.Duration
	now   func() time.Time
	done  <-chan struct{} // ends the watching
	tasks *sync.WaitGroup

	mu      sync.Mutex
	waits   map[*wait]struct{}
	running bool
}

// wait is one wait under watch; expired is closed at its deadline.
type wait struct {
	due     time.Time
	expired chan struct{}
	over    bool
}

func newWatch(ctx context.Context, after time.Duration, now func() time.Time, tasks *sync.WaitGroup) *watch {
	return &watch{after: after, now: now, done: ctx.Done(), tasks: tasks, waits: map[*wait]struct{}{}}
}

// begin starts a wait; end must follow.
func (w *watch) begin() *wait {
	x := &wait{due: w.now().Add(w.after), expired: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.waits[x] = struct{}{}
	if !w.running {
		w.running = true
		w.tasks.Go(w.tick)
	}
	return x
}

func (w *watch) end(x *wait) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.waits, x)
}

// idleTicks is how long the ticker outlives the last wait.
const idleTicks = 50

func (w *watch) tick() {
	t := time.NewTicker(max(w.after/50, time.Millisecond))
	defer t.Stop()
	for idle := 0; idle < idleTicks; {
		select {
		case <-t.C:
		case <-w.done:
			return
		}
		if w.expire() {
			idle = 0
		} else {
			idle++
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = false
	if len(w.waits) > 0 { // one began just now
		w.running = true
		w.tasks.Go(w.tick)
	}
}

// expire ends the waits that are due, and reports whether any goes on.
func (w *watch) expire() bool {
	now := w.now()
	w.mu.Lock()
	defer w.mu.Unlock()
	for x := range w.waits {
		if !x.over && !now.Before(x.due) {
			x.over = true
			close(x.expired)
		}
	}
	return len(w.waits) > 0
}

// deadline is a context that ends with the wait: it has no timer of its own.
type deadline struct {
	context.Context
	*wait
}

// context returns one that ends at the deadline, or with the parent when that is
// checked by Err. stop must be called.
func (w *watch) context(parent context.Context) (ctx context.Context, stop func()) {
	x := w.begin()
	return deadline{parent, x}, func() { w.end(x) }
}

// Deadline is when the context ends.
func (d deadline) Deadline() (time.Time, bool) { return d.due, true }

// Done is closed at the deadline.
func (d deadline) Done() <-chan struct{} { return d.expired }

// Err says why the context ended.
func (d deadline) Err() error {
	select {
	case <-d.expired:
		return context.DeadlineExceeded
	default:
		return d.Context.Err()
	}
}
