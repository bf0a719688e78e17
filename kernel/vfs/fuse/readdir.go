package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
)

// ReadDir lists the devices. OPENDIR answers ENOSYS, after which the kernel asks
// no more, keeps the listing, and has no handle to release.
//
// The directory of sessions lists nothing: the ids are their owners' affair, and
// grep -r has nothing to walk into.
func (fs *fileSystem) ReadDir(_ <-chan struct{}, in *fuse.ReadIn, out *fuse.DirEntryList) fuse.Status {
	n := fs.nodes.get(in.NodeId)
	if n == nil {
		return fuse.Status(errnoStale)
	}
	if !n.isDir() {
		return fuse.ENOTDIR
	}
	list := fs.listing(n)
	for i := in.Offset; i < uint64(len(list)); i++ {
		e := list[i]
		e.Off = i + 1
		if !out.AddDirEntry(e) {
			break
		}
	}
	return fuse.OK
}

func (fs *fileSystem) listing(n *node) []fuse.DirEntry {
	list := []fuse.DirEntry{
		{Name: ".", Mode: fuse.S_IFDIR, Ino: n.ino},
		{Name: "..", Mode: fuse.S_IFDIR, Ino: rootID},
	}
	if n.id == sessionsID {
		return list
	}
	for _, d := range fs.table.Devices() {
		ino := fs.inos[d.Name()]
		if n.session != "" {
			ino = inode(n.session, d.Name())
		}
		list = append(list, fuse.DirEntry{Name: d.Name(), Mode: fuse.S_IFREG, Ino: ino})
	}
	if n.id == rootID {
		list = append(list, fuse.DirEntry{Name: sessionsName, Mode: fuse.S_IFDIR, Ino: sessionsID})
	}
	return list
}
