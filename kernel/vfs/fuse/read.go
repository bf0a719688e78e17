package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
)

// Read shows the frozen content to readers, and the transcript to those who also
// write. A reply longer than what was asked for would be an I/O error to the
// kernel.
func (fs *fileSystem) Read(_ <-chan struct{}, in *fuse.ReadIn, _ []byte) (fuse.ReadResult, fuse.Status) {
	h := fs.handles.get(in.Fh)
	if h == nil || !h.reads {
		return nil, fuse.EBADF
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
	h.heal()
	// Only read(2) names its lock owner; a READ without one fills the page cache.
	if in.ReadFlags&fuse.READ_LOCKOWNER == 0 {
		return fuse.ReadResultData(h.talk.view(off, size)), fuse.OK
	}
	return fuse.ReadResultData(h.talk.read(off, size)), fuse.OK
}
