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

// signalled is the cause of a context that a signal ended.
type signalled struct{ syscall.Signal }

func (s signalled) Error() string { return s.String() }

// onSignals ends a context at a signal; stop gives the signals their default back.
func onSignals(parent context.Context, all ...os.Signal) (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancelCause(parent)
	came := make(chan os.Signal, 1)
	signal.Notify(came, all...)
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

// await is fuse.Await with the command's exit code in its error.
func await[T any](ctx context.Context, p fuse.Patience, ask func() (T, error)) (T, error) {
	value, err := fuse.Await(ctx, p, ask)
	if ctx.Err() != nil && errors.Is(err, context.Cause(ctx)) {
		err = cut(ctx)
	}
	return value, err
}

// cut is the error of a request that a signal or a deadline ended. As in a shell, the exit
// code of a signal is 128 and its number.
func cut(ctx context.Context) error {
	err := context.Cause(ctx)
	if s, ok := errors.AsType[signalled](err); ok {
		return withExit(exitSignal+int(s.Signal), nil)
	}
	return memory.Errorf(memory.KindTimeout, "", "the mount did not answer in time: %w", err)
}

// mountPatience is how long a mount may take before it is asked whether it lives.
// A live mount ends each request by its own deadline.
const mountPatience = 30 * time.Second

// awaitMount is await for what asks the mount at a mountpoint.
func awaitMount[T any](ctx context.Context, mountpoint string, ask func() (T, error)) (T, error) {
	return await(ctx, fuse.Patience{Every: mountPatience, Silent: func() error {
		if state, err := fuse.MountState(mountpoint); err != nil || state != fuse.StateSilent {
			return err
		}
		return silence(fuse.Silent(mountpoint))
	}}, ask)
}

// silence is the refusal that stands in for a device that does not answer.
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
