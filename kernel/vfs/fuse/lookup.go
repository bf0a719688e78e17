package fuse

import (
	"context"
	"strings"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
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
	case parent.id == sessionsID:
		if sessionID.MatchString(name) {
			fs.entry(fs.sessionDir(name), longTime, out)
			return fuse.OK
		}
	case parent.id == rootID && name == sessionsName:
		fs.entry(fs.nodes.get(sessionsID), longTime, out)
		return fuse.OK
	default:
		if d := fs.table.Device(name); d != nil {
			fs.entry(fs.deviceNode(h, parent.session, d), 0, out)
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

// deviceNode makes the node of one LOOKUP.
func (fs *fileSystem) deviceNode(h *fuse.InHeader, session string, d vfs.Device) *node {
	n := &node{
		ino:     fs.inos[d.Name()],
		session: session,
		device:  d,
		made:    fs.now(),
	}
	if session != "" {
		n.ino = inode(session, d.Name())
	}
	n.content = fs.recent.once(h, session, d, fs.epoch.Load(), n.made, func() []byte {
		return fs.content(h, session, d)
	})
	n.size = uint64(len(n.content))
	n.id = fs.nodes.add(n)
	return n
}

// content is what the caller of h reads from a device: the reply that is theirs,
// else what the device says of itself.
func (fs *fileSystem) content(h *fuse.InHeader, session string, d vfs.Device) []byte {
	if d.Writable() {
		if reply := fs.reply(h, session, d.Name()); reply != nil {
			return reply
		}
	}
	ctx, cancel := context.WithTimeout(fs.ctx, fs.deadline)
	defer cancel()
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
	pid := int(h.Pid)
	if !fs.ancestry.Load() {
		pid = 0 // it is another namespace's number: another process here
	}
	c := fs.attester.Caller(h.Uid, h.Gid, pid)
	c.Session, c.Road = session, d.Name()
	return c
}

// line ends a body with a newline; an empty one is left empty.
func line(body []byte) []byte {
	if n := len(body); n > 0 && body[n-1] != '\n' {
		return append(body[:n:n], '\n')
	}
	return body
}
