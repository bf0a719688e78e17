package process

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"os"
	"sync"
	"sync/atomic"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// idKey stands for a turn's id: 16 bytes each, however long the ids are.
type idKey [16]byte

func keyOf(id string) idKey {
	sum := sha256.Sum256([]byte(id))
	return idKey(sum[:16])
}

// log is what is known of a turns.jsonl: which ids are in it up to an offset. It
// is taken up from there when somebody has appended.
type log struct {
	mu sync.Mutex
	// Guarded by mu and the file's flock:
	inode  uint64
	size   int64  // of the whole lines that were taken in
	number int    // of the last turn
	tail   []byte // the last bytes before size: whether it is still the same file
	ids    map[idKey]struct{}

	kept atomic.Int64 // len(ids), for those who hold neither
}

const maxTail = 64

// catchUp takes in what others have appended and returns the file's size, which is
// more than l.size when the last line is not whole.
func (l *log) catchUp(ctx context.Context, f *os.File) (int64, error) {
	fi, err := f.Stat()
	if err != nil {
		return 0, err
	}
	inode := uint64(0)
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	if !l.continues(f, inode, fi.Size()) {
		l.inode, l.size, l.number, l.tail, l.ids = inode, 0, 0, nil, map[idKey]struct{}{}
		l.kept.Store(0)
	}
	if l.size == fi.Size() {
		return l.size, nil // nobody has: the usual case
	}
	in := newLineReader(io.NewSectionReader(f, l.size, fi.Size()-l.size), l.size)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		line, _, err := in.line()
		if errors.Is(err, io.EOF) {
			return fi.Size(), l.take(f, in.next)
		}
		if err != nil {
			return 0, err
		}
		if r, ok := parse(line); ok {
			l.add(r)
		}
	}
}

// continues reports whether a file still begins with what was taken in.
func (l *log) continues(f *os.File, inode uint64, size int64) bool {
	if l.ids == nil || l.inode != inode || size < l.size {
		return false
	}
	got := make([]byte, len(l.tail))
	_, err := f.ReadAt(got, l.size-int64(len(l.tail)))
	return len(l.tail) == 0 || err == nil && bytes.Equal(got, l.tail)
}

// take notes that the lines up to a size are taken in.
func (l *log) take(f *os.File, size int64) error {
	l.size, l.tail = size, make([]byte, min(maxTail, size))
	if size == 0 {
		return nil
	}
	_, err := f.ReadAt(l.tail, size-int64(len(l.tail)))
	return err
}

func (l *log) add(r record) {
	l.number = numberAfter(l.number, r)
	l.ids[keyOf(r.ID)] = struct{}{}
	l.kept.Store(int64(len(l.ids)))
}

// fresh returns the turns that are not there, each id once.
func (l *log) fresh(turns []Turn) []Turn {
	seen := map[idKey]bool{}
	var out []Turn
	for _, t := range turns {
		id := keyOf(t.ID)
		if _, there := l.ids[id]; !there && !seen[id] {
			seen[id] = true
			out = append(out, t)
		}
	}
	return out
}

// mend completes or cuts a last line that is not whole: its writer died, and was
// not told that it is kept.
func (l *log) mend(f *os.File, size int64) error {
	if size == l.size {
		return nil
	}
	if size-l.size <= maxLine {
		rest := make([]byte, size-l.size)
		if _, err := f.ReadAt(rest, l.size); err != nil {
			return err
		}
		if r, ok := parse(rest); ok {
			if _, err := f.WriteAt([]byte{'\n'}, size); err != nil {
				return errors.Join(err, f.Truncate(size))
			}
			l.add(r)
			return l.take(f, size+1)
		}
	}
	return f.Truncate(l.size)
}

// maxWrite is about how much is encoded before it is written.
const maxWrite = 1 << 20

// append makes turns durable at the end of the file, all or none.
func (l *log) append(f *os.File, turns []Turn) (err error) {
	start := l.size
	defer func() {
		if err != nil {
			// A file that can't be cut back has whole turns that nobody was told
			// of: the next append finds them there.
			err = errors.Join(err, f.Truncate(start))
		}
	}()
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	end := start // of what is written
	for i, t := range turns {
		from := buf.Len()
		if err := enc.Encode(record{N: l.number + 1 + i, Turn: t}); err != nil {
			return err
		}
		if n := buf.Len() - from; n > maxLine {
			return memory.Errorf(memory.KindTooBig, opAppend, "turn %s has %d bytes as a line, of at most %d", t.ID, n, maxLine)
		}
		if buf.Len() >= maxWrite || i == len(turns)-1 {
			if _, err := f.WriteAt(buf.Bytes(), end); err != nil {
				return err
			}
			end += int64(buf.Len())
			buf.Reset()
		}
	}
	if err := datasync(f); err != nil {
		return err
	}
	for _, t := range turns {
		l.add(record{Turn: t})
	}
	return l.take(f, end)
}

func datasync(f *os.File) error {
	for {
		if err := unix.Fdatasync(int(f.Fd())); !errors.Is(err, unix.EINTR) {
			return err
		}
	}
}

// maxIDs bounds the ids in memory, all logs together.
const maxIDs = 1 << 18

// logs are some of those that were used.
type logs struct {
	mu   sync.Mutex
	most int
	by   map[place]*log
}

// of returns what is known of a log. Where that is too much with the others, they are
// forgotten, and read again.
func (ls *logs) of(at place) *log {
	ls.mu.Lock()
	defer ls.mu.Unlock()
	l := ls.by[at]
	if l == nil {
		l = &log{}
		ls.by[at] = l
	}
	if len(ls.by) > ls.most || ls.ids() > maxIDs {
		maps.DeleteFunc(ls.by, func(other place, _ *log) bool { return other != at })
	}
	return l
}

// ids is how many ids are in memory. mu is held.
func (ls *logs) ids() (n int64) {
	for _, l := range ls.by {
		n += l.kept.Load()
	}
	return n
}
