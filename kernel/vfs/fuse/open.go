package fuse

import (
	"bytes"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

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
	if mode != unix.O_RDONLY && n.spot == nil && !n.device.Writable() {
		return fuse.EROFS
	}
	if !fs.runner.users.change(in.Uid, usage{handles: 1}) {
		return fuse.EBUSY
	}
	h := &handle{node: n, uid: in.Uid, writes: mode != unix.O_RDONLY, reads: mode != unix.O_WRONLY}
	content, fresh := n.open(in.Uid, in.Pid)
	h.content = content
	if n.spot != nil {
		if st := fs.memories.openMemory(h, in, fresh); !st.Ok() {
			fs.runner.users.change(in.Uid, usage{handles: -1})
			return st
		}
	} else if !fresh && h.reads {
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
	if h == nil || !h.writes || in.Uid != h.uid {
		return fuse.OK
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.edit != nil {
		return fs.memories.commit(h, &in.InHeader)
	}
	h.heal()
	if h.frame.pending() == 0 || in.LockOwner != h.owner {
		return fuse.OK
	}
	res := fs.runner.refuse(askerOf(&in.InHeader, h.node.session, h.node.device), errIncomplete(h.frame.pending()))
	return fuse.Status(vfs.Errno(res.Kind))
}

// Fsync commits what was written below memories/. All else has nothing to do: an answered
// request is durable.
func (fs *fileSystem) Fsync(_ <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	if h := fs.handles.get(in.Fh); h != nil && h.edit != nil && h.uid == in.Uid {
		return fs.memories.flushEdit(h, &in.InHeader)
	}
	return fuse.OK
}

// Read shows the frozen content to readers, and the transcript to those who also
// write. A reply longer than what was asked for would be an I/O error to the
// kernel.
func (fs *fileSystem) Read(_ <-chan struct{}, in *fuse.ReadIn, _ []byte) (fuse.ReadResult, fuse.Status) {
	h := fs.handles.get(in.Fh)
	if h == nil || !h.reads {
		return nil, fuse.EBADF
	}
	if in.Uid != h.uid {
		return nil, fuse.EACCES
	}
	if in.Offset > 1<<62 {
		return nil, fuse.EINVAL
	}
	off, size := int64(in.Offset), int(in.Size)
	if !h.writes {
		if off >= int64(len(h.content)) {
			return fuse.ReadResultData(nil), fuse.OK
		}
		return fuse.ReadResultData(h.content[off:min(off+int64(size), int64(len(h.content)))]), fuse.OK
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.edit != nil {
		text := h.edit.text
		from := min(off, int64(len(text)))
		return fuse.ReadResultData(bytes.Clone(text[from:min(from+int64(size), int64(len(text)))])), fuse.OK
	}
	h.heal()
	// Only read(2) names its lock owner; a READ without one fills the page cache.
	if in.ReadFlags&fuse.READ_LOCKOWNER == 0 {
		return fuse.ReadResultData(h.talk.view(off, size)), fuse.OK
	}
	return fuse.ReadResultData(h.talk.read(off, size)), fuse.OK
}
