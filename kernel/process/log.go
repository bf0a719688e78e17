package process

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
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
	broken int    // lines that are no turns
	tail   []byte // the last bytes before size: whether it is still the same file
	ids    map[idKey]struct{}

	kept atomic.Int64 // len(ids), for those who hold neither
}

const maxTail = 64

func (l *log) reset(inode uint64) {
	l.inode, l.size, l.number, l.broken, l.tail, l.ids = inode, 0, 0, 0, nil, map[idKey]struct{}{}
	l.kept.Store(0)
}

// catchUp takes in what others have appended and returns the file's size, which is
// more than l.size when the last line is not whole.
func (l *log) catchUp(ctx context.Context, f *os.File) (int64, error) {
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil {
		return 0, err
	}
	if !l.continues(f, st) {
		l.reset(st.Ino)
	}
	if l.size == st.Size {
		return st.Size, nil // nobody has: the usual case
	}
	in := newLineReader(io.NewSectionReader(f, l.size, st.Size-l.size), l.size)
	for n := 0; ; n++ {
		if n%1024 == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		line, _, err := in.line()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return 0, err
		}
		l.take(line)
	}
	l.size = in.next
	return st.Size, l.remember(f)
}

// continues reports whether a file still begins with what was taken in.
func (l *log) continues(f *os.File, st unix.Stat_t) bool {
	if l.ids == nil || l.inode != st.Ino || st.Size < l.size {
		return false
	}
	got := make([]byte, len(l.tail))
	_, err := f.ReadAt(got, l.size-int64(len(l.tail)))
	return err == nil && bytes.Equal(got, l.tail) || len(l.tail) == 0
}

func (l *log) remember(f *os.File) error {
	l.tail = make([]byte, min(maxTail, l.size))
	_, err := f.ReadAt(l.tail, l.size-int64(len(l.tail)))
	if len(l.tail) == 0 {
		return nil
	}
	return err
}

// take counts a line in.
func (l *log) take(line []byte) {
	r, ok := parse(line)
	if !ok {
		l.broken++
		return
	}
	l.number = numberAfter(l.number, r)
	l.add(r.ID)
}

func (l *log) add(id string) {
	l.ids[keyOf(id)] = struct{}{}
	l.kept.Store(int64(len(l.ids)))
}

func (l *log) has(id string) bool {
	_, ok := l.ids[keyOf(id)]
	return ok
}

// numberAfter is the number of a turn whose predecessor has the number last.
func numberAfter(last int, r record) int {
	if r.N > last {
		return r.N
	}
	return last + 1
}

// mend completes or cuts a last line that is not whole: whoever wrote it died,
// and was not told that it is kept.
func (l *log) mend(f *os.File, size int64) error {
	if size == l.size {
		return nil
	}
	if size-l.size <= maxLine {
		rest := make([]byte, size-l.size)
		if _, err := f.ReadAt(rest, l.size); err != nil {
			return err
		}
		if _, ok := parse(rest); ok {
			if _, err := f.WriteAt([]byte{'\n'}, size); err != nil {
				return errors.Join(err, f.Truncate(size))
			}
			l.take(rest)
			l.size = size + 1
			return l.remember(f)
		}
	}
	return f.Truncate(l.size)
}

// withLog runs fn with the process's locks held: no one else, of all programs,
// appends to it, describes it anew or removes it.
func (s *Store) withLog(ctx context.Context, root dir, folder, uuid string, fn func(*log, dir, *os.File) error) error {
	l := s.logOf(folder + "/" + uuid)
	l.mu.Lock()
	defer l.mu.Unlock()
	at, err := root.sub(folder, processesName, uuid)
	if err != nil {
		return err
	}
	defer at.close()
	f, err := at.open(turnsFile, unix.O_RDWR|unix.O_CREAT)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := s.lock(ctx, f, unix.LOCK_EX); err != nil {
		return err
	}
	// While the lock was waited for, the process may have been removed.
	st, err := root.stat(folder + "/" + processesName + "/" + uuid + "/" + turnsFile)
	if err != nil || !sameFile(f, st) {
		return fmt.Errorf("the conversation is gone: %w", os.ErrNotExist)
	}
	return fn(l, at, f)
}

// maxIDs bounds the ids in memory, all logs together.
const maxIDs = 1 << 18

// logOf returns what is known of a log, and forgets those that were used least.
func (s *Store) logOf(key string) *log {
	s.mu.Lock()
	defer s.mu.Unlock()
	l := s.logs[key]
	if l == nil {
		l = &log{}
		s.logs[key] = l
	}
	if i := slices.Index(s.recent, key); i >= 0 {
		s.recent = slices.Delete(s.recent, i, i+1)
	}
	s.recent = append(s.recent, key)
	for len(s.recent) > s.opts.OpenLogs || len(s.recent) > 1 && s.idsKept() > maxIDs {
		delete(s.logs, s.recent[0])
		s.recent = slices.Delete(s.recent, 0, 1)
	}
	return l
}

// idsKept is how many ids are in memory. mu is held.
func (s *Store) idsKept() (n int64) {
	for _, l := range s.logs {
		n += l.kept.Load()
	}
	return n
}
