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
		var mode atomic.Value
		answers := func(ctx context.Context) error {
			switch mode.Load() {
			case "fails":
				return errors.New("no")
			case "hangs":
				<-ctx.Done()
				return ctx.Err()
			}
			return nil
		}
		mode.Store("answers")
		ctx, stop := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			defer close(done)
			watchdog(ctx, within, answers, func(s string) {
				if s != "WATCHDOG=1" {
					t.Errorf("said %q", s)
				}
				signs.Add(1)
			})
		}()
		for _, c := range []struct {
			mode        string
			least, most int64
		}{{"answers", 19, 21}, {"fails", 0, 0}, {"answers", 19, 21}, {"hangs", 0, 0}} {
			mode.Store(c.mode)
			synctest.Wait()
			signs.Store(0)
			time.Sleep(10 * within)
			synctest.Wait()
			if n := signs.Load(); n < c.least || n > c.most {
				t.Errorf("%s: %d signs of life, want %d to %d", c.mode, n, c.least, c.most)
			}
		}
		stop()
		<-done
	})
}
