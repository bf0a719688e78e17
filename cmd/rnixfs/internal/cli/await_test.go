package cli

import (
	"context"
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func TestAwait(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	never := func() (string, error) { <-hang; return "", nil }

	if got, err := await(t.Context(), fuse.Patience{}, func() (string, error) { return "reply", nil }); got != "reply" || err != nil {
		t.Errorf("%q %v", got, err)
	}

	left := 3 // as long as it lives it is waited for
	_, err := await(t.Context(), fuse.Patience{Every: time.Millisecond, Silent: func() error {
		if left--; left > 0 {
			return nil
		}
		return silence(memory.Errorf(memory.KindTimeout, "", "it does not answer"), "end it")
	}}, never)
	var r *refusal
	if !errors.As(err, &r) || left != 0 || r.kind != memory.KindTimeout || kindOfCode(r.reply) != memory.KindTimeout || !strings.Contains(err.Error(), "answer\n  end it") {
		t.Errorf("silent: %v, asked until %d", err, left)
	}

	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if _, err := await(ctx, fuse.Patience{}, never); memory.KindOf(err) != memory.KindTimeout {
		t.Errorf("deadline: %v", err)
	}
}

func TestAwaitSignal(t *testing.T) {
	hang := make(chan struct{})
	defer close(hang)
	for sig, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(signalled{sig})
		if _, err := await(ctx, fuse.Patience{}, func() (int, error) { <-hang; return 0, nil }); exitCode(err) != want || err.Error() != "" {
			t.Errorf("%v: %d %v", sig, exitCode(err), err)
		}
	}
}
