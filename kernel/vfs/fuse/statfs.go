package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// StatFs shows a device's quota: one block is one character, so that `df` of a
// device says what is left. A directory shows the first device that has one.
func (fs *fileSystem) StatFs(_ <-chan struct{}, h *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	n := fs.nodes.get(h.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	out.Bsize, out.Frsize, out.NameLen = 1, 1, 255
	devices := fs.table.Devices()
	if !n.isDir() {
		devices = []vfs.Device{n.device}
	}
	ctx, stop := fs.watch.context(fs.ctx)
	defer stop()
	for _, d := range devices {
		total, free, ok := d.Space(ctx, fs.caller(h, n.session, d))
		if ok {
			out.Blocks = uint64(max(total, 0))
			out.Bfree = uint64(max(free, 0))
			out.Bavail = out.Bfree
			break
		}
	}
	return fuse.OK
}
