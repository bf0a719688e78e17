package fuse

import (
	"context"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// longTime is how long the kernel may keep what does not change: directories,
// names that don't exist, and the attributes of a node.
const longTime = time.Hour

// attr fills in the attributes of a node. They never change, except for the size of a
// device on whose descriptor a request was answered.
func (fs *fileSystem) attr(n *node, out *fuse.Attr) {
	out.Ino = n.ino
	out.Owner = fs.owner
	out.Blksize = 4096
	n.mu.Lock()
	size := n.size
	n.mu.Unlock()
	out.Mtime, out.Mtimensec = uint64(n.since.Unix()), uint32(n.since.Nanosecond())
	out.Atime, out.Atimensec = out.Mtime, out.Mtimensec
	out.Ctime, out.Ctimensec = out.Mtime, out.Mtimensec
	if n.spot != nil {
		fs.attrMemory(n.spot, out)
	}
	if n.isDir() && n.spot == nil {
		out.Mode, out.Nlink = fuse.S_IFDIR|0o555, 2
		return
	}
	out.Nlink = 1
	if n.isDir() {
		return
	}
	out.Size = size
	out.Blocks = (out.Size + 511) / 512
	if n.spot != nil {
		return
	}
	out.Mode = fuse.S_IFREG | fs.mode(n.device.Writable())
}

// attrMemory fills in what is another's below memories/. A folder has one link, as in
// file systems that don't count them.
func (fs *fileSystem) attrMemory(at *spot, out *fuse.Attr) {
	switch {
	case at.folder == "":
		out.Mode = fuse.S_IFDIR | 0o555
	case !at.file && fs.shared:
		out.Mode = fuse.S_IFDIR | 0o777
	case !at.file:
		out.Mode = fuse.S_IFDIR | 0o755
	default:
		out.Mode = fuse.S_IFREG | fs.mode(!at.fixed)
		out.Mtime, out.Mtimensec = uint64(at.mtime.Unix()), uint32(at.mtime.Nanosecond())
		out.Ctime, out.Ctimensec = out.Mtime, out.Mtimensec
	}
}

// mode is the permission bits of a device, which the kernel checks
// (default_permissions).
func (fs *fileSystem) mode(writable bool) uint32 {
	switch {
	case !writable && fs.shared:
		return 0o444
	case !writable:
		return 0o400
	case fs.shared:
		return 0o666
	}
	return 0o600
}

// GetAttr answers stat(2).
func (fs *fileSystem) GetAttr(_ <-chan struct{}, in *fuse.GetAttrIn, out *fuse.AttrOut) fuse.Status {
	n := fs.tree.nodes.get(in.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	out.SetTimeout(longTime)
	fs.attr(n, &out.Attr)
	return fuse.OK
}

// SetAttr accepts the changes that tools make to a file that they copied to, and makes
// none: node's copyFileSync and uutils' cp fail when chmod does. A new owner is
// refused, and so is any change of a device that takes no requests.
func (fs *fileSystem) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	n := fs.tree.nodes.get(in.NodeId)
	switch {
	case n == nil:
		return fuse.Status(errnoStale)
	case n.spot != nil:
		return fs.setMemory(n, in, out)
	case in.Valid&(fuse.FATTR_UID|fuse.FATTR_GID) != 0, n.isDir():
		return fuse.EPERM
	case !n.device.Writable():
		return fuse.EROFS
	}
	out.SetTimeout(longTime)
	fs.attr(n, &out.Attr)
	return fuse.OK
}

// StatFs shows a device's quota: one block is one character, so that `df` of a
// device says what is left. A directory shows the first device that has one.
func (fs *fileSystem) StatFs(_ <-chan struct{}, h *fuse.InHeader, out *fuse.StatfsOut) fuse.Status {
	n := fs.tree.nodes.get(h.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	out.Bsize, out.Frsize, out.NameLen = 1, 1, 255
	devices := fs.tree.table.Devices()
	if n.device != nil {
		devices = []vfs.Device{n.device}
	}
	ctx, cancel := context.WithTimeout(fs.runner.ctx, fs.runner.deadline)
	defer cancel()
	for _, d := range devices {
		total, free, ok := d.Space(ctx, fs.runner.callers.attest(askerOf(h, n.session, d)))
		if ok {
			out.Blocks = uint64(max(total, 0))
			out.Bfree = uint64(max(free, 0))
			out.Bavail = out.Bfree
			break
		}
	}
	return fuse.OK
}
