package fuse

import (
	"maps"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// sessionsName is the directory under which each session has its own devices.
const sessionsName = "s"

// rootID is the only fixed node id. All others are given by LOOKUP and taken back
// by FORGET.
const rootID = fuse.FUSE_ROOT_ID

var sessionID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// tree is the directories and devices that the kernel knows.
type tree struct {
	table *vfs.Table
	nodes registry[*node]

	mu   sync.Mutex
	dirs map[string]*node // directories other than the root, by path
}

func newTree(table *vfs.Table) *tree {
	t := &tree{table: table, dirs: map[string]*node{}}
	root := &node{ino: rootID, since: time.Now()}
	root.id = t.nodes.add(root) // the first id is rootID
	return t
}

// find returns what a name in a directory stands for: a directory, a device, or
// neither.
func (t *tree) find(parent *node, name string) (dir *node, d vfs.Device) {
	name = strings.Clone(name) // it lies in the request's buffer
	switch {
	case strings.HasPrefix(name, "."):
		return nil, nil
	case parent.folder != nil:
		return nil, parent.folder.File(name)
	case parent.path == sessionsName:
		if !sessionID.MatchString(name) {
			return nil, nil
		}
		return t.dir(parent.below(name), name, nil, nil), nil
	case parent.id == rootID && name == sessionsName:
		return t.dir(name, "", nil, nil), nil
	case name == vfs.MemoriesName && t.table.Memories() != nil:
		return t.dir(parent.below(name), parent.session, nil, &spot{}), nil
	}
	if d := t.table.Device(name); d != nil {
		return nil, d
	}
	for _, f := range t.table.Folders() {
		if f.Name() == name {
			return t.dir(parent.below(name), parent.session, f, nil), nil
		}
	}
	return nil, nil
}

// dir returns a directory, and counts the kernel's reference.
func (t *tree) dir(path, session string, folder vfs.Folder, at *spot) *node {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := t.dirs[path]
	if n == nil {
		n = &node{path: path, ino: inode(path), session: session, folder: folder, spot: at, since: time.Now()}
		n.id = t.nodes.add(n)
		t.dirs[path] = n
	}
	n.lookups++
	return n
}

// retire has the directories at a path, and those in it, be new ones when they are looked
// up again: what the kernel has of them lies elsewhere now.
func (t *tree) retire(path string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	maps.DeleteFunc(t.dirs, func(p string, _ *node) bool { return p == path || strings.HasPrefix(p, path+"/") })
}

// forget drops the kernel's references to a node. A device's has one.
func (t *tree) forget(id, lookups uint64) {
	n := t.nodes.get(id)
	if n == nil || id == rootID {
		return
	}
	if n.isDir() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if n.lookups -= min(lookups, n.lookups); n.lookups > 0 {
			return
		}
		if t.dirs[n.path] == n {
			delete(t.dirs, n.path)
		}
	}
	t.nodes.take(id)
}

// list returns what a directory shows. That of the sessions shows nothing: the ids
// are private to their owners, and grep -r has nothing to walk into. Nor does a folder
// of searches: an indexer that walks the mount runs no search.
func (t *tree) list(n *node) []fuse.DirEntry {
	all := t.dots(n)
	add := func(name string, mode uint32) {
		all = append(all, fuse.DirEntry{Name: name, Mode: mode, Ino: inode(n.below(name))})
	}
	if n.path == sessionsName || n.folder != nil {
		return all
	}
	for _, d := range t.table.Devices() {
		add(d.Name(), fuse.S_IFREG)
	}
	for _, f := range t.table.Folders() {
		add(f.Name(), fuse.S_IFDIR)
	}
	if t.table.Memories() != nil {
		add(vfs.MemoriesName, fuse.S_IFDIR)
	}
	if n.id == rootID {
		add(sessionsName, fuse.S_IFDIR)
	}
	return all
}

// dots are the first two names of every listing.
func (t *tree) dots(n *node) []fuse.DirEntry {
	return []fuse.DirEntry{{Name: ".", Mode: fuse.S_IFDIR, Ino: n.ino}, {Name: "..", Mode: fuse.S_IFDIR, Ino: rootID}}
}
