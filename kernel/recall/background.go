package recall

import (
	"context"
	"errors"
	"log/slog"
	"time"
)

// background drains the queues some time after each change, until ctx ends.
func (e *Engine) background(ctx context.Context) {
	defer close(e.done)
	if e.opts.Delay < 0 {
		<-ctx.Done()
		return
	}
	timer := time.NewTimer(e.opts.Delay)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-e.wake:
		}
		timer.Reset(e.opts.Delay)
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		case <-e.soon:
			timer.Reset(min(soonDelay, e.opts.Delay))
			select {
			case <-ctx.Done():
				return
			case <-timer.C:
			}
		}
		e.drainAll(ctx)
	}
}

func (e *Engine) drainAll(ctx context.Context) {
	e.mu.RLock()
	list := make([]*scopeIndex, 0, len(e.scopes))
	for _, ix := range e.scopes {
		if !ix.queue.empty() {
			list = append(list, ix)
		}
	}
	e.mu.RUnlock()
	for _, ix := range list {
		if err := ix.drain(ctx); err != nil && !errors.Is(err, context.Canceled) {
			e.opts.Logger.Error("recall: index", slog.String("scope", string(ix.id.Scope)), slog.Any("error", err))
		}
	}
}
