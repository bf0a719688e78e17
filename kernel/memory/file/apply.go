package file

import (
	"context"
	"errors"
	"runtime"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	maxBatch = 64 // changes that become durable together
	maxLook  = 8  // edits by hand taken in before one change gives up
)

// request is a change that waits in the queue.
type request struct {
	ctx    context.Context
	ch     memory.Change
	result memory.Result
	err    error
	wake   chan bool // true: answered; false: lead
}

// Apply implements memory.Provider. Changes that arrive while another batch is
// being written become durable together in the next.
func (p *Provider) Apply(ctx context.Context, ch memory.Change) (memory.Result, error) {
	r := &request{ctx: ctx, ch: ch, wake: make(chan bool, 1)}
	p.queueMu.Lock()
	p.queue = append(p.queue, r)
	lead := !p.leading
	p.leading = true
	p.queueMu.Unlock()
	if !lead {
		answered, left := p.await(r)
		if left {
			return memory.Result{}, wrap("apply", ctx.Err())
		}
		if answered {
			return r.result, r.err
		}
	}
	p.lead()
	return r.result, r.err
}

// await waits for r's answer, or its turn to lead. A caller that gives up leaves
// the queue, unless its request was taken already.
func (p *Provider) await(r *request) (answered, left bool) {
	select {
	case answered = <-r.wake:
		return answered, false
	case <-r.ctx.Done():
	}
	p.queueMu.Lock()
	i := slices.Index(p.queue, r)
	if i >= 0 {
		p.queue = slices.Delete(p.queue, i, i+1)
	}
	p.queueMu.Unlock()
	if i < 0 {
		return <-r.wake, false
	}
	select {
	case answered = <-r.wake: // chosen to lead just before: pass it on
		if !answered {
			p.passOn()
		}
	default:
	}
	return false, true
}

// lead writes one batch, the leader's own change among it, and passes the lead
// on.
func (p *Provider) lead() {
	if p.crowded { // those who were just answered may want the next batch too
		runtime.Gosched()
	}
	p.queueMu.Lock()
	n := min(len(p.queue), maxBatch)
	p.crowded = n > 1
	batch := p.queue[:n:n]
	p.queue = p.queue[n:]
	p.queueMu.Unlock()
	// The lock wait must not depend on one caller's patience.
	if err := p.exclusive(context.WithoutCancel(batch[0].ctx), func() error { return p.applyAll(batch) }); err != nil {
		for _, r := range batch {
			if r.err == nil {
				r.result, r.err = memory.Result{}, wrap("apply", err)
			}
		}
	}
	for _, r := range batch {
		r.wake <- true
	}
	p.passOn()
}

func (p *Provider) passOn() {
	p.queueMu.Lock()
	defer p.queueMu.Unlock()
	if len(p.queue) == 0 {
		p.leading = false
		return
	}
	p.queue[0].wake <- false
}

// applyAll plans the requests in order and makes them durable. An error is that
// of writing, and means all.
func (p *Provider) applyAll(batch []*request) error {
	b := p.newBatch()
	twins := map[*request]int{} // requests with the idempotency key of one before them
	for _, r := range batch {
		if r.err = r.ctx.Err(); r.err != nil {
			r.err = wrap("apply", r.err)
			continue
		}
		if i, ok := b.keys[r.ch.IdempotencyKey]; ok && r.ch.IdempotencyKey != "" {
			twins[r] = i
			continue
		}
		if res, ok, err := p.state.Replay(r.ch); ok || err != nil {
			r.result, r.err = res, err
			continue
		}
		r.result, r.err = b.addSettled(r.ctx, r.ch)
	}
	if err := b.commit(); err != nil {
		for _, r := range batch {
			if r.result.Replayed {
				continue
			}
			if r.err == nil {
				r.result, r.err = memory.Result{}, wrap("apply", err)
			}
		}
		return nil
	}
	for r, i := range twins {
		r.result, r.err = b.twin(r.ch, i)
	}
	return nil
}

func (b *batch) twin(ch memory.Change, i int) (memory.Result, error) {
	first := b.done[i]
	if first.ch.Digest != ch.Digest {
		return memory.Result{}, memory.Errorf(memory.KindConflict, "", "idempotency key was used for another request")
	}
	res := first.result
	res.Replayed = true
	return res, nil
}

// addSettled plans a change after it has taken in what was edited by hand in the
// files that it touches.
func (b *batch) addSettled(ctx context.Context, ch memory.Change) (memory.Result, error) {
	for range maxLook {
		res, err := b.add(ch, nil)
		var edited errEdited
		if !errors.As(err, &edited) {
			return res, err
		}
		if err := b.takeIn(ctx, edited.name); err != nil {
			return memory.Result{}, wrap("edit", err)
		}
	}
	return memory.Result{}, memory.Errorf(memory.KindConflict, "apply", "files of this change are being edited by hand; try again")
}
