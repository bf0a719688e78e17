package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// signalled is why a context ended that onSignals made.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return s.String() }

// onSignals ends a context at SIGINT and SIGTERM; stop gives them their default
// back.
func onSignals(parent context.Context) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	signal.Notify(came, os.Interrupt, syscall.SIGTERM)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		select {
		case s := <-came:
			if s, ok := s.(syscall.Signal); ok {
				cancel(signalled{s})
			}
		case <-ctx.Done():
		}
	}()
	return ctx, func() {
		signal.Stop(came)
		cancel(nil)
		<-ended
	}
}

// patience bounds the wait for a mount.
type patience struct {
	every  time.Duration // how often it is asked; 0: never
	silent func() error  // nil while there is something to wait for
}

// await runs ask, which may block in a system call without end, until ctx ends, or
// there is nothing to wait for any more.
//
// The thread of a call that is left stays blocked, and ends with this process: the
// kernel then takes back a request that no server has read yet (fs/fuse/dev.c,
// request_wait_answer).
func await[T any](ctx context.Context, p patience, ask func() (T, error)) (T, error) {
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
	if p.every > 0 {
		tick := time.NewTicker(p.every)
		defer tick.Stop()
		again = tick.C
	}
	var none T
	for {
		select {
		case got := <-done:
			return got.value, got.err
		case <-ctx.Done():
			return none, cut(ctx)
		case <-again:
			if err := p.silent(); err != nil {
				return none, err
			}
		}
	}
}

// cut is the error of what a signal or a deadline ended. As in a shell, the exit
// code of a signal is 128 and its number.
func cut(ctx context.Context) error {
	var s signalled
	err := context.Cause(ctx)
	if errors.As(err, &s) {
		return withExit(exitSignal+int(s.Signal), nil)
	}
	return memory.Errorf(memory.KindTimeout, "", "the mount did not answer in time: %w", err)
}

// mountPatience is how long a mount may take before it is asked whether it lives.
// One that lives ends each request itself, by its own deadline.
const mountPatience = 30 * time.Second

// awaitMount is await for what asks the mount at a mountpoint.
func awaitMount[T any](ctx context.Context, mountpoint string, ask func() (T, error)) (T, error) {
	return await(ctx, patience{mountPatience, func() error {
		if state, err := fuse.MountState(mountpoint); err != nil || state != fuse.StateSilent {
			return err
		}
		return silence(fuse.Silent(mountpoint))
	}}, ask)
}

// silence is a refusal in the place of the device, which does not answer.
func silence(why *memory.Error, mend string) error {
	body, err := json.Marshal(struct {
		OK    bool   `json:"ok"`
		Code  string `json:"code"`
		Error string `json:"error"`
		Hint  string `json:"hint"`
	}{false, why.Kind.Code(), why.Error(), mend})
	if err != nil {
		return fmt.Errorf("%w: %w", why, err)
	}
	return &refusal{why.Kind, append(body, '\n')}
}
