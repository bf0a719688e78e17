package fuse

import (
	"hash/fnv"
	"regexp"
	"strings"
	"sync"
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
	lastFixed  = 15
)

var sessionID = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$`)

// node is one inode of the kernel: a directory, or a device as one LOOKUP saw it.
type node struct {
	id      uint64
	ino     uint64     // st_ino, the same for every node of one path
	session string     // the session tree it lies in, "" outside
	device  vfs.Device // nil for a directory

	// Of a device:
	content []byte // what its reader reads, frozen
	made    time.Time

	mu     sync.Mutex
	opened bool   // it was opened before: its content may be old by now
	size   uint64 // end of what is to be read, larger than content after a request

	lookups uint64 // of a session's directory; guarded by sessions.mu
}

func (n *node) isDir() bool { return n.device == nil }

// end returns st_size.
func (n *node) end() uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.size
}

// grow moves the end to where a reply ends that was given on a descriptor.
func (n *node) grow(end uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.size = end
}

// open notes an OPEN and reports whether the content is what a reader should get:
// it is not for a node that outlives its LOOKUP, a file that was bound elsewhere
// by mount(2) or opened again through /proc/PID/fd.
func (n *node) open(now time.Time) (fresh bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	fresh = !n.opened && now.Sub(n.made) < contentAge
	n.opened = true
	return fresh
}

// contentAge is how long after its LOOKUP a node may be opened and still be read
// as it was then.
const contentAge = 10 * time.Second

// inode returns the st_ino of a path, which never changes: cp and tar compare it.
func inode(session, name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(session + "/" + name))
	return h.Sum64() | 1<<62 // apart from the fixed ids
}

// sessions are the directories under s/ that the kernel knows.
type sessions struct {
	mu sync.Mutex
	m  map[string]*node
}

// lookup returns the directory of a session, and counts the kernel's reference.
func (fs *fileSystem) sessionDir(id string) *node {
	fs.sessions.mu.Lock()
	defer fs.sessions.mu.Unlock()
	n := fs.sessions.m[id]
	if n == nil {
		// The ids of sessions outlive the request's buffer.
		id = strings.Clone(id)
		n = &node{session: id, ino: inode(id, ""), made: fs.now()}
		n.id = fs.nodes.add(n)
		fs.sessions.m[id] = n
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
	if !n.isDir() {
		fs.nodes.take(id) // each LOOKUP made a node of its own
		return
	}
	fs.sessions.mu.Lock()
	defer fs.sessions.mu.Unlock()
	n.lookups -= min(lookups, n.lookups)
	if n.lookups == 0 {
		fs.nodes.take(id)
		delete(fs.sessions.m, n.session)
	}
}
