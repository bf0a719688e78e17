package fuse

import (
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// handle is one open file: one conversation with the device. It is shared by all
// processes that inherited the descriptor.
type handle struct {
	node    *node
	uid     uint32
	writes  bool // it may be written to: what it reads is the transcript
	reads   bool
	content []byte // what it reads when it may not be written to

	mu     sync.Mutex
	frame  framer
	held   int64  // bytes of frame that are counted against the user
	unread int64  // and of talk
	owner  uint64 // lock owner of the last WRITE
	talk   transcript
	poison fuse.Status // answer of further writes after a failure, 0 for none
	stuck  bool        // the poison yields to FLUSH and READ alone
	again  retry
}

// retry is the failure behind a short count: the caller writes the rest once
// more, and is then told why, without a second run.
type retry struct {
	request []byte
	result  vfs.Result
}

// take returns the remembered failure of exactly this request, once.
func (r *retry) take(request []byte) (vfs.Result, bool) {
	old := *r
	*r = retry{}
	return old.result, old.request != nil && string(old.request) == string(request)
}

// heal lets the handle take requests again after a failure.
func (h *handle) heal() { h.poison, h.stuck = 0, false }

// fail makes further writes answer the same, for a writer that goes on sending
// the rest of a request that failed, or of what was never one.
func (h *handle) fail(st fuse.Status, stuck bool) {
	h.poison, h.stuck = st, h.stuck || stuck
}

// count counts what the descriptor keeps against the user, or has it give that up.
func (h *handle) count(u *users) {
	extra := h.talk.extra()
	if extra != h.unread && !u.change(h.uid, usage{unread: extra - h.unread}) {
		u.change(h.uid, usage{unread: -h.unread})
		h.talk.shorten()
		extra = 0
	}
	h.unread = extra
}

// hold counts the bytes of the unfinished request against the user; false, with
// nothing counted, when they are too many.
func (h *handle) hold(u *users) bool {
	bytes := int64(h.frame.pending())
	if !u.change(h.uid, usage{pending: bytes - h.held}) {
		u.change(h.uid, usage{pending: -h.held})
		h.held = 0
		return false
	}
	h.held = bytes
	return true
}

// Open makes a handle. Readers are served from the page cache, which the exact
// size makes right for every way of reading; writers bypass it, and the kernel
// lets those of one file write at the same time.
func (fs *fileSystem) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	n := fs.tree.nodes.get(in.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	if n.isDir() {
		return fuse.Status(unix.EISDIR)
	}
	mode := in.Flags & unix.O_ACCMODE
	if mode != unix.O_RDONLY && !n.device.Writable() {
		return fuse.EROFS
	}
	if !fs.runner.users.change(in.Uid, usage{handles: 1}) {
		return fuse.EBUSY
	}
	h := &handle{node: n, uid: in.Uid, writes: mode != unix.O_RDONLY, reads: mode != unix.O_WRONLY}
	content, fresh := n.open(in.Uid, in.Pid, fs.now())
	h.content = content
	if !fresh && h.reads {
		h.content = fs.runner.content(askerOf(&in.InHeader, n.session, n.device))
	}
	switch {
	case h.writes:
		h.talk.lines = h.content
		out.OpenFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_PARALLEL_DIRECT_WRITES
	case fresh:
		out.OpenFlags = fuse.FOPEN_KEEP_CACHE | fuse.FOPEN_NOFLUSH
	default: // neither the size nor the pages are this caller's
		out.OpenFlags = fuse.FOPEN_DIRECT_IO | fuse.FOPEN_NOFLUSH
	}
	out.Fh = fs.handles.add(h)
	return fuse.OK
}

// Release frees the handle. It comes some time after close(2), and of nobody: no
// request is ever run here.
func (fs *fileSystem) Release(_ <-chan struct{}, in *fuse.ReleaseIn) {
	h, ok := fs.handles.take(in.Fh)
	if !ok {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	fs.runner.users.change(h.uid, usage{handles: -1, pending: -h.held, unread: -h.unread})
	h.held, h.unread = 0, 0
}

// Flush is close(2) of one of the descriptors of a handle. Most shells close once
// before they write, and every child that inherited the descriptor closes when it
// ends; so it means the end of a request only when the last writer itself closes
// and has left an object unfinished.
func (fs *fileSystem) Flush(_ <-chan struct{}, in *fuse.FlushIn) fuse.Status {
	h := fs.handles.get(in.Fh)
	if h == nil || !h.writes {
		return fuse.OK
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heal()
	if h.frame.pending() == 0 || in.LockOwner != h.owner {
		return fuse.OK
	}
	res := fs.runner.refuse(askerOf(&in.InHeader, h.node.session, h.node.device), errIncomplete(h.frame.pending()))
	return fuse.Status(vfs.Errno(res.Kind))
}
