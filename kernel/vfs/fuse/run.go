package fuse

import (
	"bytes"
	"context"
	"sync/atomic"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// runner runs requests on devices, each within the deadline, and keeps the replies.
type runner struct {
	ctx      context.Context // ends when the server gives up waiting for requests
	table    *vfs.Table
	deadline time.Duration
	callers  *callers
	users    *users
	replies  *replies
	late     lateJobs
	running  *tracker
	answered atomic.Uint64 // counts requests
}

// run executes requests that came together, in order up to the first that fails,
// and keeps the last one's reply. It returns within the deadline, whatever the
// device does; a signal to the caller changes nothing.
func (r *runner) run(from asker, requests [][]byte) []vfs.Result {
	copies := make([][]byte, len(requests)) // the job may outlive the WRITE and its buffer
	cost := usage{running: 1}
	for i, request := range requests {
		copies[i] = bytes.Clone(request)
		cost.pending += int64(len(request))
	}
	if !r.users.change(from.uid, cost) {
		return []vfs.Result{r.refuse(from, memory.Errorf(memory.KindConflict, "run request",
			"too many requests run at once; wait for some"))}
	}
	if !r.running.begin() {
		r.users.change(from.uid, cost.negative())
		return []vfs.Result{r.refuse(from, memory.Errorf(memory.KindUnavailable, "run request",
			"the file system is being unmounted"))}
	}
	r.callers.await()
	caller, chain := r.callers.identify(from)
	ctx, _ := vfs.Begin(r.ctx)
	j := &job{from: from, chain: chain, requests: copies, done: make(chan struct{})}
	go func() { // Server.Unmount and Wait wait for it
		defer r.running.end()
		r.work(ctx, j, caller)
		r.users.change(from.uid, cost.negative())
		close(j.done)
	}()
	deadline := time.NewTimer(r.deadline)
	defer deadline.Stop()
	select {
	case <-j.done:
	case <-deadline.C:
		// This reply first: once it has left, the job's own may come at any time.
		res := r.table.Late(ctx, from.device, errLate(from.device.Name(), r.deadline))
		r.keep(from, chain, res)
		if r.late.leave(j) {
			return []vfs.Result{res}
		}
		<-j.done
	}
	r.late.delivered(j)
	r.keep(from, chain, j.last())
	return j.results
}

// work runs a job's requests, or waits for the late job that runs them already.
func (r *runner) work(ctx context.Context, j *job, caller memory.Caller) {
	r.callers.locate(&caller, true) // the caller is blocked: it is where it was
	if err := r.callers.barred(j.from.session, j.from.device.Name(), caller.PID); err != nil {
		j.results = []vfs.Result{r.table.Refuse(r.ctx, j.from.device, caller, err)}
		j.results[0].Body = line(j.results[0].Body)
	} else if same := r.late.same(j, homeOf(caller)); same != nil {
		<-same.done
		j.results = same.results
	} else {
		j.results = r.table.ExecAll(ctx, j.from.device, caller, j.requests)
		for i := range j.results {
			j.results[i].Body = line(j.results[i].Body)
		}
	}
	if r.late.end(j) {
		r.keep(j.from, j.chain, j.last())
	}
}

// refuse answers what is not run, or never became a request.
func (r *runner) refuse(from asker, err error) vfs.Result {
	ctx, cancel := context.WithTimeout(r.ctx, r.deadline)
	defer cancel()
	caller, chain := r.callers.identify(from)
	r.callers.locate(&caller, false)
	res := r.table.Refuse(ctx, from.device, caller, err)
	r.keep(from, chain, res)
	return res
}

// keep keeps a reply for the asker.
func (r *runner) keep(from asker, chain attest.Chain, res vfs.Result) {
	if !res.Unkept {
		r.replies.put(from.place(), chain, res.Body)
	}
	r.answered.Add(1)
}

// content is what an asker reads from a device: the reply that is theirs, else what
// the device says of itself.
func (r *runner) content(from asker) []byte {
	if err := r.callers.barred(from.session, from.device.Name(), r.callers.tid(from)); err != nil {
		return line(vfs.Failure(err, nil).Body)
	}
	if from.device.Writable() {
		if body := r.reply(from); body != nil {
			return body
		}
	}
	ctx, cancel := context.WithTimeout(r.ctx, r.deadline)
	defer cancel()
	return line(r.table.Read(ctx, from.device, r.callers.attest(from)))
}

// reply returns the reply that is the asker's to read, or nil.
func (r *runner) reply(from asker) []byte {
	switch at := from.place(); {
	case at.session != "":
		return r.replies.ofSession(at)
	case r.replies.has(at):
		return r.replies.ofChain(at, r.callers.Chain(r.callers.tid(from)))
	}
	return nil
}

// line ends a body with a newline; an empty one is left empty.
func line(body []byte) []byte {
	if n := len(body); n > 0 && body[n-1] != '\n' {
		return append(body[:n:n], '\n')
	}
	return body
}

func errLate(op string, after time.Duration) error {
	return memory.Errorf(memory.KindTimeout, op,
		"not done within %v; it goes on, and the same request sent again waits for it", after)
}
