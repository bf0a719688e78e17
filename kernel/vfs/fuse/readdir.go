package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
)

// ReadDir lists the devices. OPENDIR answers ENOSYS, after which the kernel asks
// no more, keeps the listing, and has no handle to release.
//
// The directory of sessions lists nothing: the ids are their owners' affair, and
// grep -r has nothing to walk into. Nor does a folder of searches: an indexer that
// walks the mount searches for nothing.
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
	if n.id == sessionsID || n.folder != nil {
		return list
	}
	for _, d := range fs.table.Devices() {
		list = append(list, fuse.DirEntry{Name: d.Name(), Mode: fuse.S_IFREG, Ino: fs.inode(n, d.Name())})
	}
	for i, f := range fs.table.Folders() {
		ino := foldersID + uint64(i)
		if n.session != "" {
			ino = inode(n.session+"/"+f.Name(), "")
		}
		list = append(list, fuse.DirEntry{Name: f.Name(), Mode: fuse.S_IFDIR, Ino: ino})
	}
	if n.id == rootID {
		list = append(list, fuse.DirEntry{Name: sessionsName, Mode: fuse.S_IFDIR, Ino: sessionsID})
	}
	return list
}
