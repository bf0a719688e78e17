package fuse

import (
	"bytes"
	"context"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// edit is what a handle writes to a file below memories/. The text is judged at each
// write, since that is where every program hears of a failure, and becomes the entry when
// a descriptor is closed or synced. It is guarded by handle.mu.
type edit struct {
	at     spot
	caller memory.Caller // the scope's, which the opener has; else the last writer's
	text   []byte
	old    int64 // the revision that the text is to replace
	tail   int   // where what was appended begins; -1 where it is not opened so
	judged int   // length of the text that was judged last
	dirty  bool
	gone   bool        // the file was removed, or has become another
	failed fuse.Status // what all that follows is answered
}

// alwaysJudged is the size up to which a text is judged at each write; beyond, only when
// it has grown by a quarter, and at the end.
const alwaysJudged = 16 << 10

// write changes the text, and says how its becoming the entry would end.
func (m *memories) writeEdit(h *handle, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.edit
	off := in.Offset
	if e.tail >= 0 {
		off = uint64(len(e.text))
	}
	switch most := e.most(); {
	case e.failed != 0:
		return 0, e.failed
	case off > most || off+uint64(len(data)) > most:
		return 0, fuse.Status(unix.EFBIG)
	}
	end := int(off) + len(data)
	e.text = append(e.text, make([]byte, max(end-len(e.text), 0))...)
	copy(e.text[off:], data)
	if st := m.changed(h, &in.InHeader); !st.Ok() {
		return 0, st
	}
	return uint32(len(data)), fuse.OK
}

func (e *edit) most() uint64 {
	if vfs.InScratch(e.at.path) {
		return maxScratchFile
	}
	return vfs.MaxText
}

// changed counts a text that has changed, keeps it if it is no entry's, and judges it.
func (m *memories) changed(h *handle, in *fuse.InHeader) fuse.Status {
	e := h.edit
	size := int64(len(e.text))
	if !m.fs.runner.users.change(h.uid, usage{pending: size - h.held}) {
		return fuse.EBUSY
	}
	h.held, e.dirty = size, true
	h.node.grow(uint64(size))
	if vfs.InScratch(e.at.path) {
		m.keep(e)
		return fuse.OK
	}
	if n := len(e.text); n == 0 || n > alwaysJudged && n < e.judged+e.judged/4 {
		return fuse.OK
	}
	e.judged = len(e.text)
	at, text, old, opener, whole := e.at, string(e.text), e.old, e.caller, e.tail < 0
	caller, st := ask(m.fs, in, h.node.session, func(ctx context.Context, v visitor) (memory.Caller, error) {
		c := opener
		c.PID, c.Exe, c.Trust = v.PID, v.Exe, v.Trust
		if whole {
			old = m.known(v, at, old)
		} else {
			old = vfs.Anything
		}
		return c, m.tree.Try(ctx, c, at.folder, at.path, text, old)
	})
	if m.fail(e, st); st.Ok() {
		e.caller = caller
	}
	return st
}

// fail notes how a write ended. A new file that can't be written goes.
func (m *memories) fail(e *edit, st fuse.Status) {
	if e.failed = st; !st.Ok() && e.at.entry == nil {
		m.scratch.drop(e.at.id, e.at.path)
	}
}

// keep makes the text that of a file in RAM.
func (m *memories) keep(e *edit) {
	if f, _ := m.scratch.get(e.at.id, e.at.path); !e.gone {
		f.text = bytes.Clone(e.text)
		m.scratch.put(e.at.id, e.at.path, f)
	}
}

// known is the revision that a process must find, to write over a text: the one it has
// read, if it has; else old.
func (m *memories) known(v visitor, at spot, old int64) int64 {
	if at.entry != nil && old != vfs.Nothing {
		if revision := m.reads.of(v.reader, at.entry.ID); revision != 0 {
			return revision
		}
	}
	return old
}

// commit makes the text the entry. Without a text there can be none: what was there
// stays. The handle is locked.
func (m *memories) commit(h *handle, in *fuse.InHeader) fuse.Status {
	e := h.edit
	if e.failed != 0 || !e.dirty || e.gone || len(e.text) == 0 || vfs.InScratch(e.at.path) {
		return e.failed
	}
	at, old, c, text, tail := e.at, e.old, e.caller, string(e.text), ""
	if e.tail >= 0 {
		tail = text[e.tail:]
	}
	revision, st := ask(m.fs, in, h.node.session, func(ctx context.Context, v visitor) (revision int64, err error) {
		if tail == "" {
			old = m.known(v, at, old)
		}
		for range 16 {
			if tail != "" { // what others have appended meanwhile stays
				f, err := m.find(ctx, c, at)
				if text, old = tail, vfs.Nothing; err == nil && f.entry != nil {
					text, old = f.entry.Content+tail, f.entry.Revision
				}
			}
			revision, err = m.tree.Put(ctx, c, at.folder, at.path, text, old)
			if kind := memory.KindOf(err); err == nil || tail == "" || kind != memory.KindConflict && kind != memory.KindExists {
				break
			}
		}
		if err == nil {
			m.scratch.drop(at.id, at.path)
			if at.entry != nil {
				m.reads.note(v.reader, at.entry.ID, revision, true)
			}
		}
		return revision, err
	})
	if m.fail(e, st); st.Ok() {
		e.old, e.dirty = revision, false
		if e.tail >= 0 {
			e.tail = len(e.text)
		}
	}
	return st
}

// flush commits what a handle was written to.
func (m *memories) flushEdit(h *handle, in *fuse.InHeader) fuse.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	return m.commit(h, in)
}

// openEdit makes the edit of a handle. What is opened with O_TRUNC is not lost before
// there is another text.
func (m *memories) openEdit(h *handle, in *fuse.InHeader, flags uint32) fuse.Status {
	opened := *h.node.spot
	type start struct {
		found
		memory.Caller
	}
	s, st := ask(m.fs, in, h.node.session, func(ctx context.Context, v visitor) (start, error) {
		f, err := m.find(ctx, v.Caller, opened)
		return start{f, v.Caller}, err
	})
	switch {
	case !st.Ok():
		return st
	case s.fixed:
		return fuse.EROFS
	}
	h.edit = &edit{at: s.spot, caller: s.Caller, tail: -1}
	switch e := h.edit; {
	case flags&unix.O_TRUNC != 0:
		h.node.grow(0)
	case s.entry != nil:
		e.text, e.old = s.text, s.entry.Revision
	default:
		e.text = bytes.Clone(s.text)
	}
	if flags&(unix.O_APPEND|unix.O_TRUNC) == unix.O_APPEND {
		h.edit.tail = len(h.edit.text)
	}
	if h.held = int64(len(h.edit.text)); !m.fs.runner.users.change(h.uid, usage{pending: h.held}) {
		h.held = 0
		return fuse.EBUSY
	}
	return fuse.OK
}

// resize is truncate(2).
func (m *memories) resizeEdit(h *handle, in *fuse.InHeader, size uint64) fuse.Status {
	h.mu.Lock()
	defer h.mu.Unlock()
	e := h.edit
	if size > e.most() {
		return fuse.Status(unix.EFBIG)
	}
	e.text = append(e.text, make([]byte, max(int(size)-len(e.text), 0))...)[:size]
	e.tail = -1
	return m.changed(h, in)
}
