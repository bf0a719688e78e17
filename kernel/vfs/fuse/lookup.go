package fuse

import (
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// longTime is how long the kernel may keep what does not change: directories,
// names that don't exist, and the attributes of a node.
const longTime = time.Hour

// Lookup resolves a name. A device gets a new node each time, since the size must
// be exact for this caller when it opens: splice(2) on a FUSE file goes through
// the page cache and stops at i_size, whatever FOPEN_DIRECT_IO says.
func (fs *fileSystem) Lookup(_ <-chan struct{}, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	parent := fs.nodes.get(h.NodeId)
	if parent == nil {
		return fuse.Status(errnoStale)
	}
	if !parent.isDir() {
		return fuse.ENOTDIR
	}
	switch {
	case strings.HasPrefix(name, "."):
		fs.probed(name, h.Pid)
	case parent.folder != nil:
		if d := parent.folder.File(strings.Clone(name)); d != nil { // the name lies in the request's buffer
			fs.entry(fs.deviceNode(h, parent, d), 0, out)
			return fuse.OK
		}
	case parent.id == sessionsID:
		if sessionID.MatchString(name) {
			fs.entry(fs.sessionDir(name, nil), longTime, out)
			return fuse.OK
		}
	case parent.id == rootID && name == sessionsName:
		fs.entry(fs.nodes.get(sessionsID), longTime, out)
		return fuse.OK
	default:
		if d := fs.table.Device(name); d != nil {
			fs.entry(fs.deviceNode(h, parent, d), 0, out)
			return fuse.OK
		}
		if dir := fs.folderDir(parent, name); dir != nil {
			fs.entry(dir, longTime, out)
			return fuse.OK
		}
	}
	// A node id of zero with a timeout is a negative entry that the kernel keeps;
	// a plain ENOENT would be asked for again each time.
	out.SetEntryTimeout(longTime)
	return fuse.OK
}

func (fs *fileSystem) entry(n *node, keep time.Duration, out *fuse.EntryOut) {
	out.NodeId = n.id
	out.SetEntryTimeout(keep)
	out.SetAttrTimeout(longTime)
	fs.attr(n, &out.Attr)
}

// deviceNode answers one LOOKUP of a device: with a new node, or with the newest
// again when it was this thread's before.
//
// Entries have no lifetime, so the kernel looks up the name for each open(2). Told
// another node than it knows, it throws the old one away and asks again: that is
// the second LOOKUP, and a FORGET. Told the same one, it takes over the size, and
// drops the pages it holds because the time of change is another.
func (fs *fileSystem) deviceNode(h *fuse.InHeader, parent *node, d vfs.Device) *node {
	epoch, now := fs.epoch.Load(), fs.now()
	n, second := fs.lease(h, parent, d, epoch, now)
	if second {
		return n
	}
	content := fs.content(h, parent.session, d)
	n.mu.Lock()
	defer n.mu.Unlock()
	n.content, n.size = content, uint64(len(content))
	return n
}

// lease finds or makes the node. second reports that it was made a moment ago for
// the first of two LOOKUPs, and that what was found for that one still holds: no
// request has run since; or that it is a common one, which shows nothing.
func (fs *fileSystem) lease(h *fuse.InHeader, parent *node, d vfs.Device, epoch uint64, now time.Time) (n *node, second bool) {
	parent.mu.Lock()
	defer parent.mu.Unlock()
	n = parent.current[d.Name()]
	if n == nil || !n.mayReturn(h.Uid, h.Pid) {
		crowded := parent.rush(d.Name(), n, now)
		if crowded && n != nil && n.join(h.Uid, now) {
			n.lookups++
			return n, true
		}
		n = &node{common: crowded, ino: fs.inode(parent, d.Name()), session: parent.session, device: d, parent: parent, uid: h.Uid, lookups: 1}
		n.lease = lease{tid: h.Pid, since: now, epoch: epoch, twice: h.Pid != 0}
		n.id = fs.nodes.add(n)
		parent.current[d.Name()] = n
		return n, crowded
	}
	n.lookups++
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.twice && !n.opened && n.epoch == epoch && now.Sub(n.since) < twiceAge {
		n.twice = false
		return n, true
	}
	// Each lease has a time of its own: that is what makes the kernel drop pages.
	if !now.After(n.since) {
		now = n.since.Add(1)
	}
	n.lease = lease{tid: h.Pid, since: now, epoch: epoch, content: n.content, size: n.size}
	return n, false
}

// inode is the st_ino of a file in a directory.
func (fs *fileSystem) inode(parent *node, name string) uint64 {
	switch {
	case parent.folder != nil:
		return inode(parent.session+"/"+parent.folder.Name(), name) // no session's id has a slash
	case parent.session != "":
		return inode(parent.session, name)
	}
	return fs.inos[name]
}

// folderDir is the directory of a folder of the root or of a session, or nil.
func (fs *fileSystem) folderDir(parent *node, name string) *node {
	for i, f := range fs.table.Folders() {
		switch {
		case f.Name() != name:
		case parent.session != "":
			return fs.sessionDir(parent.session, f)
		case parent.id == rootID:
			return fs.nodes.get(foldersID + uint64(i))
		}
	}
	return nil
}

// twiceAge bounds how long after the first LOOKUP of one open(2) the second comes.
const twiceAge = 20 * time.Millisecond

// content is what the caller of h reads from a device: the reply that is theirs,
// else what the device says of itself.
func (fs *fileSystem) content(h *fuse.InHeader, session string, d vfs.Device) []byte {
	if d.Writable() {
		if reply := fs.reply(h, session, d.Name()); reply != nil {
			return reply
		}
	}
	ctx, stop := fs.watch.context(fs.ctx)
	defer stop()
	return line(fs.table.Read(ctx, d, fs.caller(h, session, d)))
}

// reply returns the reply that is the caller's to read, or nil.
func (fs *fileSystem) reply(h *fuse.InHeader, session, device string) []byte {
	if session != "" {
		return fs.board.ofSession(place{h.Uid, session, device})
	}
	at := place{uid: h.Uid, device: device}
	if !fs.ancestry.Load() || h.Pid == 0 || !fs.board.has(at) {
		return nil
	}
	return fs.board.ofChain(at, fs.attester.Chain(int(h.Pid)))
}

// caller attests who made a request.
func (fs *fileSystem) caller(h *fuse.InHeader, session string, d vfs.Device) memory.Caller {
	c, _ := fs.identify(h, session, d)
	fs.attester.Locate(&c)
	return c
}

// identify is caller without its place, which takes a look at a file system, and
// with its ancestry. Where pids mean nothing, both are unknown.
func (fs *fileSystem) identify(h *fuse.InHeader, session string, d vfs.Device) (memory.Caller, attest.Chain) {
	pid := int(h.Pid)
	if !fs.ancestry.Load() {
		pid = 0 // it is another namespace's number: another process here
	}
	c, chain := fs.attester.Identify(h.Uid, h.Gid, pid)
	c.Session, c.Road = session, d.Name()
	return c, chain
}

// line ends a body with a newline; an empty one is left empty.
func line(body []byte) []byte {
	if n := len(body); n > 0 && body[n-1] != '\n' {
		return append(body[:n:n], '\n')
	}
	return body
}
