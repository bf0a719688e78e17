package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// errnoStale answers for ids that the server does not know, which a kernel never
// sends.
const errnoStale = unix.ESTALE

// attr fills in the attributes of a node. They never change in a node's life but
// for the size of a device on whose descriptor a request was answered.
func (fs *fileSystem) attr(n *node, out *fuse.Attr) {
	out.Ino = n.ino
	out.Owner = fs.owner
	out.Blksize = 4096
	n.mu.Lock()
	at, size := n.since, n.size
	n.mu.Unlock()
	out.Mtime, out.Mtimensec = uint64(at.Unix()), uint32(at.Nanosecond())
	out.Atime, out.Atimensec = out.Mtime, out.Mtimensec
	out.Ctime, out.Ctimensec = out.Mtime, out.Mtimensec
	if n.isDir() {
		out.Mode, out.Nlink = fuse.S_IFDIR|0o555, 2
		return
	}
	out.Size = size
	out.Blocks = (out.Size + 511) / 512
	out.Nlink = 1
	out.Mode = fuse.S_IFREG | fs.mode(n.device.Writable())
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
	n := fs.nodes.get(in.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	out.SetTimeout(longTime)
	fs.attr(n, &out.Attr)
	return fuse.OK
}

// SetAttr accepts what tools do to a file that they copied to, and changes
// nothing: node's copyFileSync and uutils' cp fail when chmod does. The owner is
// refused, and so is everything on what takes no requests.
func (fs *fileSystem) SetAttr(_ <-chan struct{}, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	n := fs.nodes.get(in.NodeId)
	switch {
	case n == nil:
		return fuse.Status(errnoStale)
	case in.Valid&(fuse.FATTR_UID|fuse.FATTR_GID) != 0, n.isDir():
		return fuse.EPERM
	case !n.device.Writable():
		return fuse.EROFS
	}
	out.SetTimeout(longTime)
	fs.attr(n, &out.Attr)
	return fuse.OK
}
