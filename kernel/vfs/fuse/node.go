package fuse

import (
	"hash/fnv"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// sessionsName is the directory under which each session has its own devices.
const sessionsName = "s"

// Node ids that are fixed. All others are given by LOOKUP and taken back by
// FORGET.
const (
	rootID     = fuse.FUSE_ROOT_ID
	sessionsID = 2
	foldersID  = 3 // of the first folder; the others follow
	lastFixed  = 15
)

var sessionID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// node is one inode of the kernel: a directory, or a device as one caller sees it.
type node struct {
	id      uint64
	ino     uint64     // st_ino, the same for every node of one path
	session string     // the session tree it lies in, "" outside
	device  vfs.Device // nil for a directory
	folder  vfs.Folder // of a directory whose files are made by LOOKUP
	path    string     // of a directory that a session brought: below s/
	parent  *node      // nil for a directory
	uid     uint32     // of a device: whose LOOKUPs it serves

	foreign atomic.Bool // a thread other than its own has used it
	common  bool        // it is one of a crowd's (crowd.go)
	joined  int         // LOOKUPs that were told it besides the first; guarded by parent.mu

	mu      sync.Mutex
	lookups uint64 // the kernel's references; guarded by parent.mu, or sessions.mu for a directory
	lease

	current map[string]*node // of a directory: each device's newest node
	rushes  map[string]rush  // of a directory: how much they are run upon
}

// lease is the time from the LOOKUP of a device to the last close of what it
// opened. While it lasts the node is one caller's alone, and what its reader
// reads is frozen. Guarded by node.mu.
type lease struct {
	tid     uint32 // the thread that looked up; 0 where it is not known
	content []byte
	since   time.Time
	epoch   uint64
	twice   bool   // the same thread is expected to look up again
	opened  bool   // it was opened, so the LOOKUP has served
	handles int    // open files
	size    uint64 // end of what is to be read, larger than content after a request
}

func newDir(id, ino uint64, session string, now time.Time) *node {
	return &node{id: id, ino: ino, session: session, current: map[string]*node{}, lease: lease{since: now}}
}

func (n *node) isDir() bool { return n.device == nil }

// grow moves the end to where a reply ends that was given on a descriptor.
func (n *node) grow(end uint64) {
	if n.common {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.size = end
}

// mayReturn reports whether a LOOKUP by this thread may be answered with the same
// node again: the thread alone was ever told it and used what it opened, and has
// closed it.
//
// No other thread may, even when the node is idle. The kernel takes over the size
// and time of a LOOKUP only if the inode was not changed since the request was
// made (fi->attr_version, fs/fuse/inode.c); with two threads it may have been, and
// the second would read the first one's pages. One thread's requests are in order.
func (n *node) mayReturn(uid, tid uint32) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return tid != 0 && !n.common && n.tid == tid && n.uid == uid && n.handles == 0 && !n.foreign.Load()
}

// open counts an OPEN and returns what its reader reads; fresh is false when that
// has to be found out anew, for a node that is opened without a LOOKUP of its own:
// a file that was bound elsewhere by mount(2), or reopened through /proc/PID/fd.
func (n *node) open(uid, tid uint32, now time.Time) (content []byte, fresh bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh = !n.common && !n.opened && n.uid == uid && n.tid == tid && now.Sub(n.since) < leaseAge
	n.opened = true
	n.handles++
	if n.tid != tid {
		n.foreign.Store(true)
	}
	return n.content, fresh
}

// used notes who sent a request on a handle.
func (h *handle) used(tid uint32) {
	if tid != h.tid {
		h.node.foreign.Store(true)
	}
}

// release counts a RELEASE.
func (n *node) release() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.handles--
}

// leaseAge is how long after its LOOKUP a node may be opened and still be read as
// it was then.
const leaseAge = 10 * time.Second

// inode returns the st_ino of a path, which never changes: cp and tar compare it.
func inode(session, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(session + "/" + name))
	return h.Sum64() | 1<<62 // apart from the fixed ids
}

// sessions are the directories under s/ that the kernel knows, by path.
type sessions struct {
	mu sync.Mutex
	m  map[string]*node
}

// sessionDir returns the directory of a session, or of a folder in it, and counts
// the kernel's reference.
func (fs *fileSystem) sessionDir(session string, folder vfs.Folder) *node {
	fs.sessions.mu.Lock()
	defer fs.sessions.mu.Unlock()
	path := session
	if folder != nil {
		path += "/" + folder.Name()
	}
	n := fs.sessions.m[path]
	if n == nil {
		session, path = strings.Clone(session), strings.Clone(path) // they lie in the request's buffer
		n = newDir(0, inode(path, ""), session, fs.now())
		n.folder, n.path = folder, path
		n.id = fs.nodes.add(n)
		fs.sessions.m[path] = n
	}
	n.lookups++
	return n
}

// Forget drops the kernel's references to a node.
func (fs *fileSystem) Forget(id, lookups uint64) {
	if id <= lastFixed {
		return
	}
	n := fs.nodes.get(id)
	if n == nil {
		return
	}
	mu := &fs.sessions.mu
	if !n.isDir() {
		mu = &n.parent.mu
	}
	mu.Lock()
	defer mu.Unlock()
	n.lookups -= min(lookups, n.lookups)
	if n.lookups > 0 {
		return
	}
	fs.nodes.take(id)
	if n.isDir() {
		delete(fs.sessions.m, n.path)
	} else if name := n.device.Name(); n.parent.current[name] == n {
		delete(n.parent.current, name)
		delete(n.parent.rushes, name)
	}
}
