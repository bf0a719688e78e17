package fuse

import (
	"context"
	"time"
)

// Patience says how often a mount that has not answered is examined. The zero value
// never does.
type Patience struct {
	Every  time.Duration
	Silent func() error // why there is nothing to wait for any more, or nil
}

// Await runs ask, which may block in a system call on a mount without end, until ctx
// ends or there is nothing to wait for any more. Where ctx ends, the error is its
// cause.
//
// The thread of a call that is left stays blocked, and ends with this process: the
// kernel then takes back a request that no server has read yet (fs/fuse/dev.c,
// request_wait_answer).
func Await[T any](ctx context.Context, p Patience, ask func() (T, error)) (T, error) {
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	go func() {
		value, err := ask()
		done <- answer{value, err}
	}()
	var again <-chan time.Time
	if p.Every > 0 {
		tick := time.NewTicker(p.Every)
		defer tick.Stop()
		again = tick.C
	}
	var none T
	for {
		select {
		case got := <-done:
			return got.value, got.err
		case <-ctx.Done():
			return none, context.Cause(ctx)
		case <-again:
			if err := p.Silent(); err != nil {
				return none, err
			}
		}
	}
}
