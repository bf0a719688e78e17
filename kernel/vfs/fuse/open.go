package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// Open makes a handle. Readers are served from the page cache, which the exact
// size makes right for every way of reading; writers bypass it, and the kernel
// lets those of one file write at the same time.
func (fs *fileSystem) Open(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	n := fs.nodes.get(in.NodeId)
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
	if !fs.users.change(in.Uid, usage{handles: 1}) {
		return fuse.EBUSY
	}
	h := &handle{node: n, uid: in.Uid, tid: in.Pid, writes: mode != unix.O_RDONLY, reads: mode != unix.O_WRONLY}
	content, fresh := n.open(in.Uid, in.Pid, fs.now())
	h.content = content
	if !fresh && h.reads {
		h.content = fs.content(&in.InHeader, n.session, n.device)
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

// Release frees. It comes after close(2) returned, from nobody: a request must
// not run here.
func (fs *fileSystem) Release(_ <-chan struct{}, in *fuse.ReleaseIn) {
	h, ok := fs.handles.take(in.Fh)
	if !ok {
		return
	}
	h.node.release()
	h.mu.Lock()
	held, unread := h.held, h.unread
	h.held, h.unread = 0, 0
	h.mu.Unlock()
	fs.users.change(h.uid, usage{handles: -1, pending: -held, unread: -unread})
}
