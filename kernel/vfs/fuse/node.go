package fuse

import (
	"hash/fnv"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// node is one inode of the kernel: a directory, or a device or an entry's file as one
// caller sees it.
type node struct {
	id      uint64
	ino     uint64 // st_ino, the same for every node of one path
	path    string // below the mountpoint, "" for the root
	session string // the session that it belongs to, "" outside of s/
	since   time.Time
	lookups uint64     // of a directory: the kernel's references; guarded by tree.mu
	folder  vfs.Folder // of a directory whose files are made by LOOKUP
	device  vfs.Device // nil for a directory, and below memories/
	spot    *spot      // nil but below memories/

	// Of a device:
	uid, tid uint32 // the user and the thread that looked it up; tid is 0 where it is not known
	epoch    uint64 // requests that had been answered then

	mu      sync.Mutex
	content []byte // of a device: what that thread reads; nil once it is open or too old
	opened  bool   // of a device
	size    uint64 // of a device: that of the content, or the end of the last reply on a descriptor
	latest  *node  // of a directory: the device that was looked up last
}

func (n *node) isDir() bool { return n.device == nil && (n.spot == nil || !n.spot.file) }

// below is the path of a name in a directory.
func (n *node) below(name string) string {
	if n.path == "" {
		return name
	}
	return n.path + "/" + name
}

// leaseAge is how long after its LOOKUP a node may be opened and still be read as
// it was then.
const leaseAge = 10 * time.Second

// open notes an OPEN and returns the content, which the handle keeps from then on.
// fresh is false when that must be computed anew, for a node that is opened without a
// LOOKUP of its own: a file that was bound elsewhere by mount(2), or reopened through
// /proc/PID/fd.
func (n *node) open(uid, tid uint32) (content []byte, fresh bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh = n.content != nil && !n.opened && n.uid == uid && n.tid == tid && time.Since(n.since) < leaseAge
	content, n.content, n.opened = n.content, nil, true
	return content, fresh
}

// grow moves the end of the file to the end of a reply on its descriptor.
func (n *node) grow(end uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.size = end
}

// fill sets the content. It is called once.
func (n *node) fill(content []byte) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.content, n.size = content, uint64(len(content))
}

// twiceAge bounds how long after the first LOOKUP of one open(2) the second comes.
const twiceAge = 20 * time.Millisecond

// follows reports whether a new node of a directory is made for the second LOOKUP
// of one open(2), and returns the content that was found for the first. The kernel
// looks up a name that it knows, throws it away because the node is another one,
// and looks it up once more.
func (n *node) follows(dir *node) (content []byte, ok bool) {
	dir.mu.Lock()
	defer dir.mu.Unlock()
	first := dir.latest
	dir.latest = n
	if first == nil || n.tid == 0 || first.tid != n.tid || first.uid != n.uid || first.path != n.path ||
		first.epoch != n.epoch || n.since.Sub(first.since) > twiceAge {
		return nil, false
	}
	first.mu.Lock()
	defer first.mu.Unlock()
	return first.content, !first.opened && first.content != nil
}

// inode returns the st_ino of a path, which never changes: cp and tar compare it.
func inode(path string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(path))
	return h.Sum64() | 1<<62 // apart from the root's
}
