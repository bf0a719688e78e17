package fuse

import (
	"bytes"
	"errors"

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
	h.used(in.Pid)
	n, replies, st := fs.take(h, in, data)
	if len(replies) > 0 && h.reads {
		fs.show(h)
	}
	return n, st
}

// take is Write under the handle's lock.
func (fs *fileSystem) take(h *handle, in *fuse.WriteIn, data []byte) (uint32, []byte, fuse.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if in.WriteFlags&fuse.WRITE_LOCKOWNER != 0 {
		h.owner = in.LockOwner
	}
	if h.poison != 0 {
		if h.stuck || !wholeObject(data) {
			return 0, nil, h.poison
		}
		h.heal()
	}
	h.talk.begin(int64(in.Offset), len(data))
	w := writing{fs: fs, h: h, in: in, spread: h.frame.pending() > 0}
	done, st := w.run(data)
	fs.hold(h, int64(h.frame.pending()))
	if len(w.replies) > 0 {
		h.talk.answer(int64(in.Offset)+int64(done), w.replies)
		fs.count(h)
		h.node.grow(uint64(h.talk.end()))
	}
	return uint32(done), w.replies, st
}

// writing is the state of one WRITE.
type writing struct {
	fs      *fileSystem
	h       *handle
	in      *fuse.WriteIn
	spread  bool   // the object began in an earlier WRITE
	good    int    // bytes up to the end of the last request that succeeded
	ran     int    // requests that succeeded
	replies []byte // of this WRITE, a line for each request
}

// run goes through the data. It returns how much of it was taken: all, or up to
// the end of the last good request when a later one failed, or nothing and why.
func (w *writing) run(data []byte) (int, fuse.Status) {
	if w.fs.table.Together(w.h.node.device) {
		return w.together(data)
	}
	for at := 0; at < len(data); {
		n, request, err := w.h.frame.next(data[at:])
		at += n
		switch {
		case err != nil:
			return w.refuse(err)
		case request == nil: // the rest comes with a later WRITE
			if !w.fs.hold(w.h, int64(w.h.frame.pending())) {
				w.h.frame.reset()
				w.spread = true // and is not taken
				return w.refuse(errPending())
			}
			return len(data), fuse.OK
		}
		res, known := w.h.again.take(request)
		if !known {
			res = w.fs.run(w.h, &w.in.InHeader, [][]byte{request})[0]
		}
		if !res.OK {
			return w.failed(res, request)
		}
		w.replies = append(w.replies, res.Body...)
		w.good, w.spread = at, false
		w.ran++
	}
	return len(data), fuse.OK
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

// refuse ends the WRITE at bytes that are no request. What follows them can't be
// trusted to be one either: the elements of an array are objects, too.
func (w *writing) refuse(err error) (int, fuse.Status) {
	res := w.fs.refusal(&w.in.InHeader, w.h, err)
	w.fs.keep(&w.in.InHeader, w.h, res.Body)
	if w.ran > 0 {
		return w.good, fuse.OK
	}
	st := fuse.Status(vfs.Errno(res.Kind))
	w.replies = append(w.replies, res.Body...)
	w.h.fail(st, isArray(err))
	return 0, st
}

// count counts what the descriptor keeps against the user, or has it give that up.
func (fs *fileSystem) count(h *handle) {
	extra := h.talk.extra()
	if extra != h.unread && !fs.users.change(h.uid, usage{unread: extra - h.unread}) {
		fs.users.change(h.uid, usage{unread: -h.unread})
		h.talk.shorten()
		extra = 0
	}
	h.unread = extra
}

// hold counts the bytes of the unfinished request against the user; false, with
// nothing counted, when they are too many.
func (fs *fileSystem) hold(h *handle, bytes int64) bool {
	if !fs.users.change(h.uid, usage{pending: bytes - h.held}) {
		fs.users.change(h.uid, usage{pending: -h.held})
		h.held = 0
		return false
	}
	h.held = bytes
	return true
}

// show lets splice(2) read the replies on the writing descriptor: it stops at
// i_size, which storing into the page cache extends. Without locks: the kernel
// waits for the page, and a READ that holds it may be waiting for ours.
func (fs *fileSystem) show(h *handle) {
	if fs.notify == nil || h.node.common {
		return
	}
	h.mu.Lock()
	base, lines := h.talk.base, h.talk.lines
	h.mu.Unlock()
	fs.notify(h.node.id, base, lines)
}

func isArray(err error) bool {
	var e *memory.Error
	return errors.As(err, &e) && errors.Is(e.Err, errArray)
}
