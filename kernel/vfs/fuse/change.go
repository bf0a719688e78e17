package fuse

import (
	"cmp"
	"context"
	"errors"
	"path"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// place returns the directory below memories/ with an id, and the spot of a name in it.
// All other directories take no names.
func (fs *fileSystem) place(dir uint64, name string) (parent *node, at spot, st fuse.Status) {
	parent = fs.tree.nodes.get(dir)
	switch {
	case parent == nil:
		return nil, at, fuse.Status(errnoStale)
	case parent.spot == nil || parent.spot.folder == "":
		return nil, at, fuse.EPERM
	}
	return parent, parent.spot.below(strings.Clone(name)), fuse.OK // the name lies in the request's buffer
}

// create makes a file that is empty, and so no entry yet, or returns the one that is there.
func (m *memories) create(ctx context.Context, v visitor, at spot, dir, exclusive bool) (found, error) {
	f, err := m.find(ctx, v.Caller, at)
	switch {
	case err == nil && (exclusive || dir):
		return f, unix.EEXIST
	case !errors.Is(err, unix.ENOENT):
		return f, err
	case f.fixed:
		return f, unix.EROFS
	case utf8.RuneCountInString(at.path) > memory.MaxKeyRunes:
		return f, unix.ENAMETOOLONG
	case !vfs.InScratch(at.path):
		if err := m.tree.CheckPath(ctx, v.Caller, at.folder, at.path); err != nil {
			return f, err
		}
	}
	m.scratch.put(f.id, at.path, scratchFile{dir: dir})
	f.file, f.mtime = !dir, time.Now()
	return f, nil
}

// Create makes a file below memories/ and opens it.
func (fs *fileSystem) Create(_ <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	parent, at, st := fs.place(in.NodeId, name)
	if !st.Ok() {
		return st
	}
	exclusive := in.Flags&unix.O_EXCL != 0
	f, st := ask(fs, &in.InHeader, parent.session, func(ctx context.Context, v visitor) (found, error) {
		return fs.memories.create(ctx, v, at, false, exclusive)
	})
	if !st.Ok() {
		return st
	}
	n := fs.memoryNode(&in.InHeader, parent, path.Base(at.path), f)
	if n.isDir() {
		return fuse.Status(unix.EISDIR)
	}
	open := fuse.OpenIn{InHeader: in.InHeader, Flags: in.Flags}
	open.NodeId = n.id
	if st = fs.Open(nil, &open, &out.OpenOut); !st.Ok() {
		fs.tree.forget(n.id, 1)
		return st
	}
	if exclusive && f.away == nil {
		fs.handles.get(out.Fh).edit.old = vfs.Nothing
	}
	fs.entry(n, 0, &out.EntryOut)
	fs.note(n.id)
	return fuse.OK
}

// Mkdir makes a folder, which lives in RAM until there is a file in it.
func (fs *fileSystem) Mkdir(_ <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	parent, at, st := fs.place(in.NodeId, name)
	if !st.Ok() {
		return st
	}
	f, st := ask(fs, &in.InHeader, parent.session, func(ctx context.Context, v visitor) (found, error) {
		return fs.memories.create(ctx, v, at, true, true)
	})
	if st.Ok() {
		fs.entry(fs.memoryNode(&in.InHeader, parent, path.Base(at.path), f), 0, out)
	}
	return st
}

// Unlink removes a file, and its entry.
func (fs *fileSystem) Unlink(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return fs.remove(in, name, false)
}

// Rmdir removes an empty folder.
func (fs *fileSystem) Rmdir(_ <-chan struct{}, in *fuse.InHeader, name string) fuse.Status {
	return fs.remove(in, name, true)
}

func (fs *fileSystem) remove(in *fuse.InHeader, name string, dir bool) fuse.Status {
	parent, at, st := fs.place(in.NodeId, name)
	if !st.Ok() {
		return st
	}
	f, st := ask(fs, in, parent.session, func(ctx context.Context, v visitor) (found, error) {
		f, err := fs.memories.find(ctx, v.Caller, at)
		if err == nil {
			err = fs.memories.remove(ctx, v, f, dir)
		}
		return f, err
	})
	if st.Ok() {
		fs.editors(f.spot, leave)
	}
	return st
}

func (m *memories) remove(ctx context.Context, v visitor, f found, dir bool) error {
	held, _ := m.scratch.get(f.id, f.path)
	switch {
	case dir && f.file:
		return unix.ENOTDIR
	case !dir && !f.file:
		return unix.EISDIR
	case f.fixed || f.path == "":
		return unix.EROFS
	case dir:
		if names, err := m.list(ctx, v.Caller, f.spot); err != nil || len(names) > 0 {
			return cmp.Or[error](err, unix.ENOTEMPTY)
		}
	case f.entry != nil:
		if err := m.tree.Remove(ctx, v.Caller, f.folder, f.entry); err != nil {
			return err
		}
	case held.away != nil: // the entry that had its name taken goes, unless it has changed since
		if err := m.tree.Remove(ctx, v.Caller, f.folder, held.away); err != nil && memory.KindOf(err) != memory.KindConflict && memory.KindOf(err) != memory.KindNotFound {
			return err
		}
	}
	m.scratch.drop(f.id, f.path)
	m.stay(f.spot)
	return nil
}

// stay keeps the folder of a file that goes, which may have been the last in it.
func (m *memories) stay(at spot) {
	if dir := path.Dir(at.path); dir != "." {
		m.scratch.put(at.id, dir, scratchFile{dir: true})
	}
}

// editors calls do with each handle that writes to a file, until one fails.
func (fs *fileSystem) editors(at spot, do func(*handle) fuse.Status) fuse.Status {
	st := fuse.OK
	for _, h := range fs.handles.all() {
		if h.edit == nil || !st.Ok() {
			continue
		}
		h.mu.Lock()
		if h.edit.at.id == at.id && h.edit.at.path == at.path {
			st = do(h)
		}
		h.mu.Unlock()
	}
	return st
}

// leave has what is still written to a file go nowhere.
func leave(h *handle) fuse.Status { h.edit.gone = true; return fuse.OK }

// Rename gives a file or a folder another name in the same scope. A file that is there
// goes, but its entry stays and takes the text over.
func (fs *fileSystem) Rename(_ <-chan struct{}, in *fuse.RenameIn, oldName, newName string) fuse.Status {
	parent, from, st := fs.place(in.NodeId, oldName)
	if !st.Ok() {
		return st
	}
	_, to, st := fs.place(in.Newdir, newName)
	switch {
	case !st.Ok():
		return st
	case from.folder != to.folder:
		return fuse.EXDEV
	case in.Flags&^unix.RENAME_NOREPLACE != 0:
		return fuse.EINVAL
	case from.path == to.path:
		return fuse.OK
	}
	f, st := ask(fs, &in.InHeader, parent.session, func(ctx context.Context, v visitor) (found, error) {
		return fs.memories.find(ctx, v.Caller, from)
	})
	if st.Ok() {
		st = fs.editors(f.spot, func(h *handle) fuse.Status { return fs.memories.commit(h, &in.InHeader) })
	}
	if !st.Ok() {
		return st
	}
	over, st := ask(fs, &in.InHeader, parent.session, func(ctx context.Context, v visitor) (found, error) {
		f, err := fs.memories.find(ctx, v.Caller, from)
		if err != nil {
			return f, err
		}
		over, err := fs.memories.find(ctx, v.Caller, to)
		switch {
		case err != nil && !errors.Is(err, unix.ENOENT):
			return over, err
		case f.fixed || over.fixed:
			return over, unix.EROFS
		case err == nil && in.Flags != 0:
			return over, unix.EEXIST
		case err == nil && f.file && !over.file:
			return over, unix.EISDIR
		case err == nil && !f.file && over.file:
			return over, unix.ENOTDIR
		case f.file:
			return over, fs.memories.moveFile(ctx, v, f, over)
		case err == nil:
			if names, err := fs.memories.list(ctx, v.Caller, over.spot); err != nil || len(names) > 0 {
				return over, cmp.Or[error](err, unix.ENOTEMPTY)
			}
		}
		return over, fs.memories.moveFolder(ctx, v, f, over)
	})
	if st.Ok() {
		fs.editors(over.spot, leave)
		fs.editors(f.spot, func(h *handle) fuse.Status { // what is still written goes where the file has gone
			h.edit.at.path, h.edit.at.entry, h.edit.old = over.path, over.entry, vfs.Anything
			return fuse.OK
		})
		fs.tree.retire(parent.below(path.Base(from.path)))
	}
	return st
}

// moveFile moves a file to where nothing is, or another file.
func (m *memories) moveFile(ctx context.Context, v visitor, f, over found) error {
	held, _ := m.scratch.get(f.id, f.path)
	aside := vfs.InScratch(over.path)
	switch {
	case aside && f.entry != nil: // a copy to go back to: the entry stays until it goes
		m.scratch.put(f.id, over.path, scratchFile{text: f.text, away: f.entry})
	case aside || f.entry == nil && len(f.text) == 0 && over.entry == nil:
		m.scratch.put(f.id, over.path, held)
	case f.entry != nil:
		if err := m.tree.Move(ctx, v.Caller, f.folder, map[string]*memory.Entry{over.path: f.entry}); err != nil {
			return err
		}
		m.scratch.drop(f.id, over.path)
	case len(f.text) == 0:
		return memory.Errorf(memory.KindInvalid, vfs.MemoriesName, "an entry has a text")
	case held.away != nil && over.entry == nil && vfs.IsAt(held.away, over.path) && string(f.text) == held.away.Content:
		m.scratch.drop(f.id, over.path) // it is back
	default:
		if err := m.tree.CheckPath(ctx, v.Caller, f.folder, over.path); err != nil {
			return err
		}
		old := m.known(v, over.spot, vfs.Anything)
		revision, err := m.tree.Put(ctx, v.Caller, f.folder, over.path, string(f.text), old)
		if err != nil {
			return err
		}
		if over.entry != nil {
			m.reads.note(v.reader, over.entry.ID, revision, true)
		}
		m.scratch.drop(f.id, over.path)
	}
	m.scratch.drop(f.id, f.path)
	m.stay(f.spot)
	return nil
}

// moveFolder moves all that lies in a folder.
func (m *memories) moveFolder(ctx context.Context, v visitor, f, over found) error {
	list, err := m.tree.List(ctx, v.Caller, f.folder)
	if err != nil {
		return err
	}
	to := map[string]*memory.Entry{}
	for p, e := range list.Below(f.path) {
		to[over.path+p[len(f.path):]] = e
	}
	if strings.HasPrefix(over.path, f.path+"/") || len(to) > 0 && vfs.InScratch(over.path) {
		return unix.EINVAL
	}
	if err := m.tree.Move(ctx, v.Caller, f.folder, to); err != nil {
		return err
	}
	for p, file := range m.scratch.below(f.id, f.path) {
		m.scratch.drop(f.id, p)
		m.scratch.put(f.id, over.path+p[len(f.path):], file)
	}
	m.scratch.drop(f.id, f.path)
	m.scratch.put(f.id, over.path, scratchFile{dir: true})
	m.stay(f.spot)
	return nil
}

// setMemory answers SETATTR below memories/: a size is a truncation; modes and times are
// accepted, and left as they are.
func (fs *fileSystem) setMemory(n *node, in *fuse.SetAttrIn, out *fuse.AttrOut) fuse.Status {
	if in.Valid&fuse.FATTR_UID != 0 && in.Owner.Uid != fs.owner.Uid || in.Valid&fuse.FATTR_GID != 0 && in.Owner.Gid != fs.owner.Gid {
		return fuse.EPERM
	}
	st := fuse.OK
	if in.Valid&fuse.FATTR_SIZE != 0 {
		h := fs.handles.get(in.Fh)
		if opened := in.Valid&fuse.FATTR_FH != 0 && h != nil && h.edit != nil && h.uid == in.Uid; opened {
			st = fs.memories.resizeEdit(h, &in.InHeader, in.Size)
		} else {
			h = &handle{node: n, uid: in.Uid, writes: true}
			if st = fs.memories.openEdit(h, &in.InHeader, 0); st.Ok() {
				st = fs.memories.resizeEdit(h, &in.InHeader, in.Size)
			}
			if st.Ok() {
				st = fs.memories.flushEdit(h, &in.InHeader)
			}
			fs.runner.users.change(h.uid, usage{pending: -h.held})
		}
	}
	if st.Ok() {
		fs.attr(n, &out.Attr)
	}
	return st
}
