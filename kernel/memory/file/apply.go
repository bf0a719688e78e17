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
	if err := p.exclusive(context.WithoutCancel(batch[0].ctx), func() error { p.applyAll(batch); return nil }); err != nil {
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

// applyAll plans the requests in order, makes them durable and answers each.
func (p *Provider) applyAll(requests []*request) {
	a := &application{p: p, b: p.newBatch()}
	for i, r := range requests {
		if r.err = r.ctx.Err(); r.err != nil {
			r.err = wrap("apply", r.err)
			continue
		}
		if err := a.add(r); err != nil {
			a.fail(err, requests[i+1:])
			return
		}
	}
	if err := a.commit(); err != nil {
		a.fail(err, nil)
	}
}

// application is requests on their way into batches: one, unless edits by hand
// have to be taken in between.
type application struct {
	p     *Provider
	b     *batch
	mine  []*request       // planned in b
	twins map[*request]int // requests with the idempotency key of one before them in b
}

// add plans a request after what was edited by hand in the files that it touches.
// An error is one of writing, and means all that is not written.
func (a *application) add(r *request) error {
	for range maxLook {
		if a.again(r) {
			return nil
		}
		r.result, r.err = a.b.add(r.ch, nil)
		var edited errEdited
		if !errors.As(r.err, &edited) {
			if r.err == nil {
				a.mine = append(a.mine, r)
			}
			return nil
		}
		a.mine = append(a.mine, r) // whose error it is, if there is one
		if err := a.commit(); err != nil {
			return err
		}
		if err := a.p.settle(context.WithoutCancel(r.ctx), []string{edited.name}); err != nil {
			a.mine = []*request{r}
			return wrap("edit", err)
		}
		a.b = a.p.newBatch()
	}
	r.err = memory.Errorf(memory.KindConflict, "apply", "files of this change are being edited by hand; try again")
	return nil
}

// again answers a request that was made before.
func (a *application) again(r *request) bool {
	if i, ok := a.b.keys[r.ch.IdempotencyKey]; ok && r.ch.IdempotencyKey != "" {
		if a.twins == nil {
			a.twins = map[*request]int{}
		}
		a.twins[r] = i
		return true
	}
	res, ok, err := a.p.state.Replay(r.ch)
	if ok || err != nil {
		r.result, r.err = res, err
	}
	return ok || err != nil
}

// commit makes what was planned durable, and begins anew.
func (a *application) commit() error {
	if err := a.b.commit(); err != nil {
		return err
	}
	for r, i := range a.twins {
		r.result, r.err = a.b.twin(r.ch, i)
	}
	a.b, a.mine, a.twins = a.p.newBatch(), nil, nil
	return nil
}

// fail answers the requests that were not written, and those not planned yet.
func (a *application) fail(err error, rest []*request) {
	for r := range a.twins {
		a.mine = append(a.mine, r)
	}
	for _, r := range append(a.mine, rest...) {
		r.result, r.err = memory.Result{}, wrap("apply", err)
	}
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
