package fuse

import (
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Lookup resolves a name. A device gets a new node each time, since the size must
// be exact for this caller when it opens: splice(2) on a FUSE file goes through
// the page cache and stops at i_size, whatever FOPEN_DIRECT_IO says.
func (fs *fileSystem) Lookup(_ <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	parent := fs.tree.nodes.get(h.NodeId)
	if parent == nil {
		return fuse.Status(errnoStale)
	}
	if !parent.isDir() {
		return fuse.ENOTDIR
	}
	if strings.HasPrefix(name, ".") {
		fs.probe.looked(name, h.Pid)
	}
	if parent.spot != nil {
		return fs.lookupMemory(parent, h, name, out)
	}
	switch dir, d := fs.tree.find(parent, name); {
	case d != nil:
		fs.entry(fs.deviceNode(h, parent, d), 0, out)
	case dir != nil:
		fs.entry(dir, longTime, out)
	default:
		// A node id of zero with a timeout is a negative entry that the kernel keeps;
		// a plain ENOENT would be asked for again each time.
		out.SetEntryTimeout(longTime)
	}
	if parent.id != rootID && out.NodeId != 0 {
		fs.note(out.NodeId)
	}
	return fuse.OK
}

func (fs *fileSystem) entry(n *node, keep time.Duration, out *fuse.EntryOut) {
	out.NodeId = n.id
	out.SetEntryTimeout(keep)
	out.SetAttrTimeout(longTime)
	fs.attr(n, &out.Attr)
}

// deviceNode makes the node of a device for one LOOKUP.
func (fs *fileSystem) deviceNode(h *fuse.InHeader, parent *node, d vfs.Device) *node {
	path := parent.below(d.Name())
	n := &node{
		path: path, ino: inode(path), session: parent.session, device: d, since: time.Now(),
		uid: h.Uid, tid: h.Pid, epoch: fs.runner.answered.Load(),
	}
	content, ok := n.follows(parent)
	if !ok {
		content = fs.runner.content(askerOf(h, n.session, d))
	}
	n.fill(content)
	n.id = fs.tree.nodes.add(n)
	return n
}

// Forget drops the kernel's references to a node.
func (fs *fileSystem) Forget(id, lookups uint64) { fs.tree.forget(id, lookups) }

// ReadDir lists the devices, or what OPENDIR took of a folder below memories/.
func (fs *fileSystem) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	n := fs.tree.nodes.get(in.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	if !n.isDir() {
		return fuse.ENOTDIR
	}
	list := []fuse.DirEntry(nil)
	if h := fs.handles.get(in.Fh); n.spot == nil {
		list = fs.tree.list(n)
	} else if h != nil && h.uid == in.Uid {
		list = h.names
	}
	for i := in.Offset; i < uint64(len(list)); i++ {
		e := list[i]
		e.Off = i + 1
		if !out.AddDirEntry(e) {
			break
		}
	}
	return fuse.OK
}
