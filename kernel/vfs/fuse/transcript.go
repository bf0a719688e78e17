package fuse

import (
	"bytes"
	"os"
)

// keepUnread bounds the unread replies that a descriptor keeps.
const keepUnread = 64 << 10

// keepSplit bounds them within one write(2). The kernel cuts a write that is larger
// than maxWrite, and nobody could read between the pieces.
const keepSplit = 32 << 20

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
	whole  bool   // the last WRITE was as large as possible: maxWrite less the buffer's offset in its page
	goes   bool   // this WRITE continues the write(2) of the last one
}

// begin notes the offset of a WRITE and its size, and the offset of the first WRITE
// of a request.
func (t *transcript) begin(offset int64, size int) {
	t.goes = t.whole && t.asked && offset == t.base && t.shown == 0
	t.whole = size > maxWrite-os.Getpagesize()
	if !t.inside {
		t.start, t.inside = offset, true
	}
}

// answer takes the replies of a WRITE that ended at the offset end. Unread replies
// stay before them: the client has read as far as the offset where it wrote; or, if it
// went back to write, as far as it was shown.
func (t *transcript) answer(end int64, replies []byte) {
	var unread []byte
	read := t.start - t.base
	if read == 0 {
		read = t.shown
	}
	if t.asked && read >= 0 && read < int64(len(t.lines)) {
		unread = t.lines[read:]
	}
	keep := keepUnread
	if t.goes {
		keep = keepSplit
	}
	if unread = newest(unread, keep-len(replies)); !t.goes {
		unread = bytes.Clone(unread)
	}
	t.lines = append(unread, replies...)
	t.base, t.shown, t.asked, t.inside = end, 0, true, false
}

// newest drops the oldest lines until the rest fits.
func newest(lines []byte, size int) []byte {
	for len(lines) > 0 && len(lines) > size {
		i := bytes.IndexByte(lines, '\n')
		if i < 0 {
			break
		}
		lines = lines[i+1:]
	}
	return lines
}

// shorten drops replies beyond what any descriptor may keep, but never the last.
func (t *transcript) shorten() {
	last := bytes.LastIndexByte(bytes.TrimSuffix(t.lines, []byte("\n")), '\n') + 1
	at := min(len(t.lines)-len(newest(t.lines, keepUnread)), last)
	t.lines = bytes.Clone(t.lines[at:])
}

// extra returns how many bytes are kept beyond that.
func (t *transcript) extra() int64 { return int64(max(len(t.lines)-keepUnread, 0)) }

// read answers READ from the descriptor.
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

// view answers READ into the page cache, for splice(2): whole pages, also from before
// base, where the request was. That part is never shown, since the descriptor's offset
// is past it; it is filled with blanks.
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
