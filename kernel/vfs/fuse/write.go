package fuse

import (
	"bytes"
	"errors"
	"math"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Write takes bytes of requests and runs each request whose closing brace they
// hold, before it returns. Offsets mean nothing to requests: `>`, `>>`, dd and
// pwrite are all the same.
func (fs *fileSystem) Write(_ <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	h := fs.handles.get(in.Fh)
	if h == nil || !h.writes {
		return 0, fuse.EBADF
	}
	if in.Uid != h.uid {
		return 0, fuse.EACCES
	}
	if h.edit != nil {
		return fs.memories.writeEdit(h, in, data)
	}
	w := writing{runner: fs.runner, h: h, from: askerOf(&in.InHeader, h.node.session, h.node.device)}
	n, st := w.take(in, data)
	if len(w.replies) > 0 && h.reads {
		fs.show(h)
	}
	return n, st
}

// show lets splice(2) read the replies on the writing descriptor: it stops at
// i_size, which storing into the page cache extends. No lock is held: the kernel
// waits for the page, and a READ that holds it may be waiting for the handle.
func (fs *fileSystem) show(h *handle) {
	if fs.notify == nil {
		return
	}
	h.mu.Lock()
	base, lines := h.talk.base, h.talk.lines
	h.mu.Unlock()
	fs.notify(h.node.id, base, lines)
}

// writing is the state of one WRITE.
type writing struct {
	runner  *runner
	h       *handle
	from    asker
	spread  bool   // the object began in an earlier WRITE
	good    int    // bytes up to the end of the last request that succeeded
	ran     int    // requests that succeeded
	replies []byte // of this WRITE, a line for each request
}

// take is Write under the handle's lock.
func (w *writing) take(in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	h := w.h
	h.mu.Lock()
	defer h.mu.Unlock()
	if in.WriteFlags&fuse.WRITE_LOCKOWNER != 0 {
		h.owner = in.LockOwner
	}
	if h.poison != 0 {
		if h.stuck || !wholeObject(data) {
			return 0, h.poison
		}
		h.heal()
	}
	h.talk.begin(int64(in.Offset), len(data))
	w.spread = h.frame.pending() > 0
	done, st := w.run(data)
	h.hold(w.runner.users)
	if len(w.replies) > 0 {
		h.talk.answer(int64(in.Offset)+int64(done), w.replies)
		h.count(w.runner.users)
		h.node.grow(uint64(h.talk.end()))
	}
	return uint32(done), st
}

// run goes through the data. It returns how much of it was taken: all, or up to
// the end of the last good request when a later one failed, or nothing and why.
func (w *writing) run(data []byte) (int, fuse.Status) {
	most := 1 // requests that run together
	if w.runner.table.Together(w.from.device) {
		most = math.MaxInt
	}
	for at := 0; at < len(data); {
		requests, ends, fault := w.cut(data, at, most)
		if len(requests) > 0 {
			if n, st, ok := w.each(requests, ends); !ok {
				return n, st
			}
			at = w.good
		}
		switch {
		case fault != nil:
			return w.refuse(fault)
		case len(requests) == most:
		case !w.h.hold(w.runner.users):
			w.h.frame.reset()
			w.spread = true // and is not taken
			return w.refuse(memory.Errorf(memory.KindConflict, "read request",
				"too many bytes of unfinished requests are open; finish or close some"))
		default: // the rest comes with a later WRITE
			return len(data), fuse.OK
		}
	}
	return len(data), fuse.OK
}

// cut cuts the next requests from the data, at most so many, and returns where each
// ends. A fault means that the bytes after them can't be a request.
func (w *writing) cut(data []byte, at, most int) (requests [][]byte, ends []int, fault error) {
	for at < len(data) && len(requests) < most {
		n, request, err := w.h.frame.next(data[at:])
		if err != nil || request == nil {
			return requests, ends, err
		}
		at += n
		requests, ends = append(requests, request), append(ends, at)
	}
	return requests, ends, nil
}

// each runs requests and records their results; ok is false when a request failed.
func (w *writing) each(requests [][]byte, ends []int) (n int, st fuse.Status, ok bool) {
	var results []vfs.Result
	if res, known := w.h.again.take(requests[0]); known {
		results = []vfs.Result{res}
	} else {
		results = w.runner.run(w.from, requests)
	}
	for i, res := range results {
		if !res.OK {
			w.h.frame.reset() // the caller sends the rest again
			n, st = w.failed(res, requests[i])
			return n, st, false
		}
		w.replies = append(w.replies, res.Body...)
		w.good, w.spread = ends[i], false
		w.ran++
	}
	return 0, fuse.OK, true
}

// failed ends the WRITE at a request that failed. After good ones it is a short
// count: the caller sends the rest again, and gets the errno then.
func (w *writing) failed(res vfs.Result, request []byte) (int, fuse.Status) {
	if w.ran > 0 {
		w.h.again = retry{bytes.Clone(request), res}
		return w.good, fuse.OK
	}
	st := fuse.Status(vfs.Errno(res.Kind))
	w.replies = append(w.replies, res.Body...)
	if w.spread {
		w.h.fail(st, false)
	}
	return 0, st
}

// refuse ends the WRITE at bytes that are no request. What follows them may not be
// one either: the elements of an array are objects, too.
func (w *writing) refuse(err error) (int, fuse.Status) {
	res := w.runner.refuse(w.from, err)
	if w.ran > 0 {
		return w.good, fuse.OK
	}
	st := fuse.Status(vfs.Errno(res.Kind))
	w.replies = append(w.replies, res.Body...)
	w.h.fail(st, errors.Is(err, errArray))
	return 0, st
}
