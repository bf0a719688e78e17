package file

import (
	"context"
	"errors"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// request is a change that waits for the worker.
type request struct {
	ctx    context.Context
	ch     memory.Change
	result memory.Result
	err    error
	done   chan struct{} // closed when it is answered
}

// apply plans requests in order, makes them durable together and fills in their
// results. What was edited by hand in the files that they touch is taken in first.
// The error is one of writing; the requests have it, too.
func (f *openFolder) apply(requests []*request) error {
	for tries := maxEdits; len(requests) > 0; {
		b := f.newBatch()
		later, err := b.plan(requests)
		if err == nil {
			err = b.commit()
		} else {
			b.undo()
		}
		var edited errEdited
		var left errNotUndone
		if errors.As(err, &edited) && !errors.As(err, &left) && tries > 0 {
			tries--
			if err = f.reconcile(context.WithoutCancel(requests[0].ctx), []string{edited.name}); err == nil {
				continue
			}
		}
		if errors.As(err, &edited) {
			err = errors.Join(memory.Errorf(memory.KindConflict, "apply", "files of this change are being edited by hand; try again"), err)
		}
		if err != nil {
			fail(requests, err)
			return err
		}
		requests = later
	}
	return nil
}

// plan adds the requests to the batch, or answers them. Those with the idempotency
// key of another one of the batch come later. The error is an errEdited.
func (b *batch) plan(requests []*request) (later []*request, err error) {
	for _, r := range requests {
		if r.err = wrap("apply", r.ctx.Err()); r.err != nil {
			continue
		}
		if b.has(r.ch.IdempotencyKey) {
			later = append(later, r)
			continue
		}
		result, replayed, err := b.f.state.Replay(r.ch)
		if !replayed && err == nil {
			result, err = b.add(r.ch, nil)
		}
		r.result, r.err = result, err
		if errors.As(err, new(errEdited)) {
			return nil, err
		}
	}
	return later, nil
}

// fail answers the requests that are not answered yet.
func fail(requests []*request, err error) {
	for _, r := range requests {
		if r.result.Replayed || r.err != nil && !errors.As(r.err, new(errEdited)) {
			continue
		}
		r.result, r.err = memory.Result{}, wrap("apply", err)
	}
}
