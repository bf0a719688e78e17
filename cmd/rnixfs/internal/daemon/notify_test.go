package daemon

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatchdog: a mount that answers gives signs of life in time, one that fails or
// hangs gives none.
func TestWatchdog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const within = 30 * time.Second
		var signs atomic.Int64
		fails, ctx := errors.New("no"), t.Context()
		for _, c := range []struct {
			answers func(context.Context) error
			want    int64
		}{
			{func(context.Context) error { return nil }, 20},
			{func(context.Context) error { return fails }, 0},
			{func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }, 0}, // it hangs
		} {
			signs.Store(0)
			ctx, stop := context.WithCancel(ctx)
			go watchdog(ctx, within, c.answers, func(string) { signs.Add(1) })
			time.Sleep(10*within - time.Second)
			stop()
			synctest.Wait()
			if n := signs.Load(); n != c.want {
				t.Errorf("%d signs of life, want %d", n, c.want)
			}
		}
	})
}
