package file_test

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory/file"
	"github.com/rnixfs/rnixfs/kernel/memory/providertest"
)

// TestBackgroundFailsOnce has every checkpoint meet a full disk: that is logged once,
// and again when it comes back.
func TestBackgroundFailsOnce(t *testing.T) {
	var full atomic.Bool
	var refused, syncs atomic.Int64
	log := &lockedBuffer{}
	p := mustOpen(t, t.TempDir(), file.Options{
		Idle: time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, nil)),
		OpenFS: withHook(func(op, _ string) error {
			if op != "syncdir" {
				return nil
			}
			syncs.Add(1)
			if full.Load() {
				refused.Add(1)
				return syscall.ENOSPC
			}
			return nil
		}),
	})
	for round := range 2 {
		full.Store(true)
		before := refused.Load()
		if _, err := p.Apply(context.Background(), providertest.Add("one "+strings.Repeat("x", round))); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it was tried five times", func() bool { return refused.Load() >= before+5 })
		if n := strings.Count(log.String(), "background work failed"); n != round+1 {
			t.Errorf("round %d: logged %d times:\n%s", round, n, log)
		}
		full.Store(false)
		done := syncs.Load()
		eventually(t, "it succeeded", func() bool { return syncs.Load() > done })
	}
}

// lockedBuffer is a log.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
