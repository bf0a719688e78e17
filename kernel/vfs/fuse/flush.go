package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Flush is close(2) of one of the descriptors of a handle. Most shells close once
// before they write, and every child that inherited the descriptor closes when it
// ends; so it means the end of a request only when the last writer itself closes
// and has left an object unfinished.
func (fs *fileSystem) Flush(_ <-chan struct{}, in *fuse.FlushIn) fuse.Status {
	h := fs.handles.get(in.Fh)
	if h == nil || !h.writes {
		return fuse.OK
	}
	h.used(in.Pid)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.heal()
	if h.frame.pending() == 0 || in.LockOwner != h.owner {
		return fuse.OK
	}
	res := fs.refusal(&in.InHeader, h, errIncomplete(h.frame.pending()))
	fs.keep(&in.InHeader, h, res.Body)
	return fuse.Status(vfs.Errno(res.Kind))
}
