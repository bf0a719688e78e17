package fuse

import "bytes"

// keepUnread bounds the replies that a descriptor keeps when nobody reads them.
const keepUnread = 64 << 10

// transcript is what a descriptor that wrote requests reads. Reading and writing
// share the file offset, so the replies begin at the offset just after the
// request (base); a read at offset 0 rewinds to them, for programs that seek.
type transcript struct {
	base   int64
	lines  []byte // replies that are not known to be read
	shown  int64  // how much of lines was given to read(2)
	asked  bool   // a request was answered: lines are replies, not the first content
	start  int64  // offset of the request's first WRITE
	inside bool   // start is set
}

// begin notes the offset of a WRITE, the first of a request.
func (t *transcript) begin(offset int64) {
	if !t.inside {
		t.start, t.inside = offset, true
	}
}

// answer takes the replies of a WRITE that ended at the offset end. Replies that
// the client left behind stay before them: it has read as far as the offset where
// it wrote; or, when it went back to write, as far as it was shown.
func (t *transcript) answer(end int64, replies []byte) {
	var unread []byte
	read := t.start - t.base
	if read == 0 {
		read = t.shown
	}
	if t.asked && read >= 0 && read < int64(len(t.lines)) {
		unread = t.lines[read:]
	}
	for len(unread) > 0 && len(unread)+len(replies) > keepUnread {
		i := bytes.IndexByte(unread, '\n')
		if i < 0 {
			break
		}
		unread = unread[i+1:] // the oldest goes
	}
	t.lines = append(bytes.Clone(unread), replies...)
	t.base, t.shown, t.asked, t.inside = end, 0, true, false
}

// read is READ from the descriptor.
func (t *transcript) read(off int64, size int) []byte {
	if off == 0 {
		t.base = 0
	}
	off -= t.base
	if off < 0 || off >= int64(len(t.lines)) {
		return nil
	}
	end := min(off+int64(size), int64(len(t.lines)))
	t.shown = max(t.shown, end)
	return t.lines[off:end]
}

// view is READ into the page cache, for splice(2): whole pages from before base
// on, where the request was. What stands there is never shown, since the
// descriptor's offset is past it; blanks keep it harmless.
func (t *transcript) view(off int64, size int) []byte {
	end := min(off+int64(size), t.end())
	if off >= end {
		return nil
	}
	page := make([]byte, 0, end-off)
	if off < t.base {
		page = append(page, bytes.Repeat([]byte{' '}, int(min(t.base, end)-off))...)
		off = t.base
	}
	if off < end {
		page = append(page, t.lines[off-t.base:end-t.base]...)
	}
	return page
}

func (t *transcript) end() int64 { return t.base + int64(len(t.lines)) }
