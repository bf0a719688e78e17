package fuse

import (
	"bytes"
	"context"
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// job is one request that runs. done is closed when res is set.
type job struct {
	done chan struct{}
	res  []vfs.Result // one for each request that ran: all succeeded but the last, perhaps

	mu      sync.Mutex
	project string // of the caller, once it is known
	late    bool   // its caller was told ETIMEDOUT
	ended   bool
}

func (j *job) setProject(p string) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.project = p
}

func (j *job) getProject() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.project
}

// finish reports whether the caller has gone.
func (j *job) finish(res []vfs.Result) (late bool) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.res, j.ended = res, true
	close(j.done)
	return j.late
}

// leave marks the job late; false when it ended just now.
func (j *job) leave() bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.late = !j.ended
	return j.late
}

// last is the result of the request that ran last.
func (j *job) last() vfs.Result { return j.res[len(j.res)-1] }

// run executes requests that came together, in order up to the first that fails,
// and keeps the last one's reply. It returns within the deadline, whatever the
// device does; a signal to the caller changes nothing.
func (fs *fileSystem) run(h *handle, in *fuse.InHeader, requests [][]byte) []vfs.Result {
	request := bytes.Join(requests, nil)
	cost := usage{pending: int64(len(request)), running: 1}
	if !fs.users.change(h.uid, cost) {
		return []vfs.Result{fs.turnAway(in, h, errRunning())}
	}
	if !fs.running.begin() {
		fs.users.change(h.uid, cost.negative())
		return []vfs.Result{fs.turnAway(in, h, errStopping())}
	}
	requests = apart(bytes.Clone(request), requests) // the job may outlive this WRITE and its buffer
	caller, chain := fs.identify(in, h.node.session, h.node.device)
	j := fs.attach(in, h, caller, request)
	if j != nil {
		fs.users.change(h.uid, cost.negative())
		fs.running.end()
	} else {
		j = &job{done: make(chan struct{})}
		go fs.work(j, h, caller, requests, cost)
	}
	wait := fs.watch.begin()
	defer fs.watch.end(wait)
	select {
	case <-j.done:
	case <-wait.expired:
		if res, gone := fs.leave(j, in, h, request, chain); gone {
			return []vfs.Result{res}
		}
	}
	fs.late.remove(j)
	fs.board.put(placeOf(in, h.node), chain, j.last().Body, fs.now())
	fs.epoch.Add(1)
	return j.res
}

// apart cuts a copy of joined requests into pieces as long as they are.
func apart(joined []byte, requests [][]byte) [][]byte {
	out := make([][]byte, len(requests))
	for i, r := range requests {
		out[i], joined = joined[:len(r):len(r)], joined[len(r):]
	}
	return out
}

// work is the job's goroutine; Server.Unmount and Wait wait for it.
func (fs *fileSystem) work(j *job, h *handle, caller memory.Caller, requests [][]byte, cost usage) {
	defer fs.running.end()
	fs.attester.Locate(&caller) // the caller is blocked: it is where it was
	j.setProject(caller.Project)
	res := fs.table.ExecAll(fs.ctx, h.node.device, caller, requests)
	for i := range res {
		res[i].Body = line(res[i].Body)
	}
	fs.users.change(h.uid, cost.negative())
	if j.finish(res) {
		if l, ok := fs.late.get(j); ok {
			fs.board.put(l.key.place, l.chain, j.last().Body, fs.now())
		}
		fs.epoch.Add(1)
	}
}

// leave answers a request that is not done at the deadline; gone is false when it
// was done just now.
func (fs *fileSystem) leave(j *job, in *fuse.InHeader, h *handle, request []byte, chain attest.Chain) (res vfs.Result, gone bool) {
	at := placeOf(in, h.node)
	res = vfs.Failure(errLate(h.node.device.Name(), fs.deadline), nil)
	// The reply first: from leave on the job's own may come at any time.
	fs.board.put(at, chain, res.Body, fs.now())
	fs.late.put(&lateJob{job: j, key: keyOf(at, j.getProject(), request), chain: chain, since: fs.now()})
	fs.epoch.Add(1)
	return res, j.leave()
}

// attach returns the job that goes on for the same request, or nil.
func (fs *fileSystem) attach(in *fuse.InHeader, h *handle, caller memory.Caller, request []byte) *job {
	if fs.late.empty() {
		return nil
	}
	fs.attester.Locate(&caller)
	return fs.late.find(keyOf(placeOf(in, h.node), caller.Project, request), fs.now())
}

// turnAway answers a request that is not run.
func (fs *fileSystem) turnAway(in *fuse.InHeader, h *handle, err error) vfs.Result {
	res := fs.refusal(in, h, err)
	fs.keep(in, h, res.Body)
	return res
}

// refusal is the reply to what never became a request.
func (fs *fileSystem) refusal(in *fuse.InHeader, h *handle, err error) vfs.Result {
	ctx, cancel := context.WithTimeout(fs.ctx, fs.deadline)
	defer cancel()
	return fs.table.Refuse(ctx, h.node.device, fs.caller(in, h.node.session, h.node.device), err)
}

// keep stores a reply that no device gave.
func (fs *fileSystem) keep(in *fuse.InHeader, h *handle, body []byte) {
	fs.board.put(placeOf(in, h.node), fs.chain(in), body, fs.now())
	fs.epoch.Add(1)
}

// chain is the ancestry of the caller; nil where pids mean nothing.
func (fs *fileSystem) chain(in *fuse.InHeader) attest.Chain {
	if in.Pid == 0 || !fs.ancestry.Load() {
		return nil
	}
	return fs.attester.Chain(int(in.Pid))
}

func errLate(op string, after time.Duration) error {
	return memory.Errorf(memory.KindTimeout, op,
		"not done within %v; it goes on, and the same request sent again waits for it", after)
}

func errStopping() error {
	return memory.Errorf(memory.KindUnavailable, "run request", "the file system is being unmounted")
}
