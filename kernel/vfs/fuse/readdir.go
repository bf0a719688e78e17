package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
)

// ReadDir lists the devices. OPENDIR answers ENOSYS, after which the kernel asks
// no more, keeps the listing, and has no handle to release.
func (fs *fileSystem) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	n := fs.tree.nodes.get(in.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	if !n.isDir() {
		return fuse.ENOTDIR
	}
	list := fs.tree.list(n)
	for i := in.Offset; i < uint64(len(list)); i++ {
		e := list[i]
		e.Off = i + 1
		if !out.AddDirEntry(e) {
			break
		}
	}
	return fuse.OK
}
