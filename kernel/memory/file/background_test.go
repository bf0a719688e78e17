package file_test

import (
	"bytes"
	"context"
	"log/slog"
	"os"
	"path/filepath"
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

// TestRemovedFolder: a folder that was removed is no failure, of the work in the
// background or of closing it.
func TestRemovedFolder(t *testing.T) {
	var busy atomic.Bool
	log := &lockedBuffer{}
	dir := filepath.Join(t.TempDir(), "memory")
	p := mustOpen(t, dir, file.Options{
		Idle: time.Millisecond, Logger: slog.New(slog.NewTextHandler(log, &slog.HandlerOptions{Level: slog.LevelDebug})),
		OpenFS: withHook(func(op, _ string) error {
			_, err := os.Lstat(dir)
			switch {
			case op != "syncdir" || !busy.Load():
				return nil
			case err != nil:
				return syscall.ENOENT
			}
			return syscall.EBUSY // no checkpoint before it is removed
		}),
	})
	busy.Store(true)
	if _, err := p.Apply(context.Background(), providertest.Add("gone soon")); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	eventually(t, "it was seen", func() bool { return strings.Contains(log.String(), "the folder is gone") })
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	if strings.Contains(log.String(), syscall.ENOENT.Error()) {
		t.Error(log)
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
