package fuse

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path"
	"runtime/debug"
	"slices"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// spot is where a node lies below memories/. Folders have one node for all callers; a
// file's node is made by a LOOKUP, like a device's, and is what its caller found.
type spot struct {
	folder string // the scope's; "" for memories/ itself
	path   string // below that; "" for the scope's folder
	file   bool
	fixed  bool // it can't be written
	mtime  time.Time

	id    memory.ScopeID // of the caller
	entry *memory.Entry  // nil: it is none
	away  *memory.Entry  // the entry that has its name taken
	by    reader         // who looked
}

func (s spot) below(name string) spot {
	if s.folder == "" {
		return spot{folder: name}
	}
	return spot{folder: s.folder, path: path.Join(s.path, name)}
}

// found is a file or a folder as its caller sees it.
type found struct {
	spot
	text []byte
}

// memories answers for what lies below memories/.
type memories struct {
	fs      *fileSystem
	tree    *vfs.Memories
	scratch scratch
	reads   reads
}

// visitor is one who does something below memories/.
type visitor struct {
	memory.Caller
	reader reader
}

// find returns what lies at a spot. It is KindNotFound where there is nothing.
func (m *memories) find(ctx context.Context, caller memory.Caller, at spot) (f found, err error) {
	f.spot = spot{folder: at.folder, path: at.path}
	if at.path == "" {
		if at.folder != "" && !slices.Contains(m.tree.Folders(), at.folder) {
			return f, unix.ENOENT
		}
		return f, nil
	}
	list, err := m.tree.List(ctx, caller, at.folder)
	if err != nil {
		return f, err
	}
	held, inRAM := m.scratch.get(list.ID, at.path)
	if !inRAM { // it goes when there is an entry
		if list, err = m.tree.List(ctx, caller, at.folder); err != nil {
			return f, err
		}
	}
	f.id, f.fixed = list.ID, !list.Writable
	e := list.File(at.path)
	if e != nil && m.scratch.away(f.id)[e.ID] == e.Revision {
		f.away, e = e, nil
	}
	switch {
	case at.path == vfs.IndexName:
		f.file, f.fixed, f.mtime, f.text = true, true, list.Changed(), list.Index()
	case e != nil:
		f.file, f.mtime, f.text, f.entry = true, e.Updated, []byte(e.Content), e
	case inRAM:
		f.file, f.mtime, f.text = !held.dir, held.mtime, held.text
	case !list.HasFolder(at.path):
		return f, unix.ENOENT
	}
	return f, nil
}

// list returns the names in a folder, and which of them are folders.
func (m *memories) list(ctx context.Context, caller memory.Caller, at spot) (map[string]bool, error) {
	names := map[string]bool{}
	if at.folder == "" {
		for _, name := range m.tree.Folders() {
			names[name] = true
		}
		return names, nil
	}
	list, err := m.tree.List(ctx, caller, at.folder)
	if at.path == "" {
		names[vfs.IndexName] = false
	}
	for p, f := range m.scratch.below(list.ID, at.path) {
		name, folder := at.child(p)
		names[name] = folder || f.dir
	}
	away := m.scratch.away(list.ID)
	for p, e := range list.Below(at.path) {
		if name, folder := at.child(p); folder || away[e.ID] != e.Revision {
			names[name] = folder
		}
	}
	return names, err
}

// child is the name in a folder of the file or the folder that has p in it.
func (s spot) child(p string) (name string, folder bool) {
	if s.path != "" {
		p = p[len(s.path)+1:]
	}
	for i, c := range p {
		if c == '/' {
			return p[:i], true
		}
	}
	return p, false
}

// ask runs what a caller asks of memories/, within the deadline. What takes longer goes
// on, and its result is dropped.
func ask[T any](fs *fileSystem, h *fuse.InHeader, session string, do func(context.Context, visitor) (T, error)) (T, fuse.Status) {
	type answer struct {
		value T
		err   error
	}
	var none T
	if !fs.runner.users.change(h.Uid, usage{running: 1}) {
		return none, fuse.EBUSY
	}
	if !fs.runner.running.begin() {
		fs.runner.users.change(h.Uid, usage{running: -1})
		return none, fuse.Status(vfs.Errno(memory.KindUnavailable))
	}
	from := *h
	done := make(chan answer, 1)
	go func() { // Server.Unmount and Wait wait for it
		defer fs.runner.running.end()
		defer fs.runner.users.change(from.Uid, usage{running: -1})
		defer func() {
			if v := recover(); v != nil { // its value may quote a text
				fs.log.Error("memories failed", "type", fmt.Sprintf("%T", v), "stack", string(debug.Stack()))
				done <- answer{err: memory.Errorf(memory.KindInternal, vfs.MemoriesName, "it failed")}
			}
		}()
		ctx, cancel := context.WithTimeout(fs.runner.ctx, fs.runner.deadline)
		defer cancel()
		v := fs.runner.callers.visitor(&from, session)
		if err := fs.callers.barred(session, vfs.MemoriesName, v.PID); err != nil {
			done <- answer{err: err}
			return
		}
		value, err := do(ctx, v)
		done <- answer{value, err}
	}()
	deadline := time.NewTimer(fs.runner.deadline)
	defer deadline.Stop()
	select {
	case a := <-done:
		return a.value, fileStatus(a.err)
	case <-deadline.C:
		return none, fuse.Status(unix.ETIMEDOUT)
	}
}

// fileStatus is what a file system says of an error: paths are meant here, and files.
func fileStatus(err error) fuse.Status {
	if err == nil {
		return fuse.OK
	}
	if errno, ok := errors.AsType[unix.Errno](err); ok {
		return fuse.Status(errno)
	}
	switch kind := memory.KindOf(err); kind {
	case memory.KindNotFound:
		return fuse.ENOENT
	case memory.KindTooBig:
		return fuse.Status(unix.EFBIG)
	default:
		return fuse.Status(vfs.Errno(kind))
	}
}

// lookupMemory resolves a name below memories/. What it finds is the caller's, and may be
// another thing the next time: nothing is kept by the kernel.
func (fs *fileSystem) lookupMemory(parent *node, h *fuse.InHeader, name string, out *fuse.EntryOut) fuse.Status {
	at := parent.spot.below(name)
	f, st := ask(fs, h, parent.session, func(ctx context.Context, v visitor) (found, error) {
		f, err := fs.memories.find(ctx, v.Caller, at)
		f.by = v.reader
		return f, err
	})
	if !st.Ok() {
		return st
	}
	fs.entry(fs.memoryNode(h, parent, name, f), 0, out)
	fs.note(out.NodeId)
	return fuse.OK
}

// memoryNode returns the node of what was found at a name.
func (fs *fileSystem) memoryNode(h *fuse.InHeader, parent *node, name string, f found) *node {
	at := parent.below(name)
	if !f.file {
		return fs.tree.dir(at, parent.session, nil, &f.spot)
	}
	n := &node{path: at, ino: inode(at), session: parent.session, spot: &f.spot, since: time.Now(), uid: h.Uid, tid: h.Pid}
	n.fill(f.text)
	n.id = fs.tree.nodes.add(n)
	return n
}

// openMemory prepares a handle of a file below memories/. fresh says that the node is what
// this very caller has found.
func (m *memories) openMemory(h *handle, in *fuse.OpenIn, fresh bool) fuse.Status {
	at := *h.node.spot
	switch {
	case h.writes:
		return m.openEdit(h, &in.InHeader, in.Flags)
	case !fresh:
		f, st := ask(m.fs, &in.InHeader, h.node.session, func(ctx context.Context, v visitor) (found, error) {
			f, err := m.find(ctx, v.Caller, at)
			f.by = v.reader
			return f, err
		})
		if !st.Ok() {
			return st
		}
		at, h.content = f.spot, f.text
	}
	if at.entry != nil {
		m.reads.note(at.by, at.entry.ID, at.entry.Revision, false)
	}
	return fuse.OK
}

// OpenDir takes the listing of a folder below memories/. All others are the same for
// everybody, and are kept by the kernel.
func (fs *fileSystem) OpenDir(_ <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	n := fs.tree.nodes.get(in.NodeId)
	switch {
	case n == nil:
		return fuse.Status(errnoStale)
	case n.spot == nil:
		out.OpenFlags = fuse.FOPEN_KEEP_CACHE | fuse.FOPEN_CACHE_DIR
		return fuse.OK
	case !n.isDir():
		return fuse.ENOTDIR
	case !fs.runner.users.change(in.Uid, usage{handles: 1}):
		return fuse.EBUSY
	}
	names, st := ask(fs, &in.InHeader, n.session, func(ctx context.Context, v visitor) (map[string]bool, error) {
		return fs.memories.list(ctx, v.Caller, *n.spot)
	})
	if !st.Ok() {
		fs.runner.users.change(in.Uid, usage{handles: -1})
		return st
	}
	all := fs.tree.dots(n)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		mode := uint32(fuse.S_IFREG)
		if names[name] {
			mode = fuse.S_IFDIR
		}
		all = append(all, fuse.DirEntry{Name: name, Mode: mode, Ino: inode(n.below(name))})
	}
	out.Fh = fs.handles.add(&handle{node: n, uid: in.Uid, names: all})
	return fuse.OK
}

// ReleaseDir drops a listing.
func (fs *fileSystem) ReleaseDir(in *fuse.ReleaseIn) { fs.Release(nil, in) }
