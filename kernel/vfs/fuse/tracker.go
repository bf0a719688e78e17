package fuse

import (
	"context"
	"sync"
)

// tracker counts running requests, and tells when the last one has ended once no more
// may begin.
type tracker struct {
	mu      sync.Mutex
	n       int
	stopped bool
	idle    chan struct{} // closed when stopped and n is 0
}

func newTracker() *tracker { return &tracker{idle: make(chan struct{})} }

func (t *tracker) begin() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.stopped {
		return false
	}
	t.n++
	return true
}

func (t *tracker) end() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.n--
	if t.stopped && t.n == 0 {
		close(t.idle)
	}
}

// stop lets no more requests begin. It may be called again.
func (t *tracker) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.stopped && t.n == 0 {
		close(t.idle)
	}
	t.stopped = true
}

// wait waits until all requests have ended, or ctx has.
func (t *tracker) wait(ctx context.Context) error {
	select {
	case <-t.idle:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
