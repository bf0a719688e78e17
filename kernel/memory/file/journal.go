package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"
)

const journalName = "journal.jsonl"

// maxUnread is how many lines on end can't be read before the rest is not looked at.
const maxUnread = 1000

// replaysAtOpen bounds the idempotency keys that are read back: a retry comes
// within minutes.
const replaysAtOpen = 1024

// journalIndex is a journal as it was read: what opening needs of it.
type journalIndex struct {
	size    int64
	last    int64                  // sequence number of the last line, 0 when empty
	gap     int64                  // of the last line that stands for lost ones, 0 when none does
	good    int64                  // bytes of complete, contiguous lines
	lines   int                    // of these
	corrupt bool                   // there is more than a torn last line behind them
	foreign bool                   // corrupt, and no line is this user's
	highest int64                  // sequence number of all lines that can be read
	files   map[string]*recordStep // what was done last to each file that is there
	keyed   []*record              // the last ones with an idempotency key, oldest first
	recent  []*record
}

// parsedLine is a line of a journal; a nil record can't be read, or is not this
// user's.
type parsedLine struct {
	size   int64
	whole  bool // not torn
	record *record
}

// indexJournal reads lines as long as they follow one another. Records after base
// are kept in recent.
func indexJournal(ctx context.Context, k key, in io.ReaderAt, size, base int64) (*journalIndex, error) {
	x := &journalIndex{size: size, files: map[string]*recordStep{}, foreign: true}
	seen := int64(0)
	err := eachLine(ctx, k, in, size, func(l parsedLine) {
		seen += l.size
		x.add(l, base)
	})
	x.corrupt = x.corrupt || seen < size
	x.foreign = x.foreign && x.corrupt
	return x, err
}

// indexFile is indexJournal of a whole file.
func indexFile(ctx context.Context, k key, f File, base int64) (*journalIndex, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return indexJournal(ctx, k, f, info.Size, base)
}

func (x *journalIndex) add(l parsedLine, base int64) {
	r := l.record
	if r != nil {
		x.foreign = false
		x.highest = max(x.highest, r.Seq)
	}
	if x.corrupt || r == nil || x.last != 0 && r.first() != x.last+1 {
		x.corrupt = x.corrupt || r != nil || l.whole || x.good+l.size < x.size
		return
	}
	x.note(r, base)
	x.last, x.good, x.lines = r.Seq, x.good+l.size, x.lines+1
}

// eachLine calls fn for the lines of a journal, until too many can't be read. One
// without an end is torn.
func eachLine(ctx context.Context, k key, in io.ReaderAt, size int64, fn func(parsedLine)) error {
	unread := 0
	return eachPiece(ctx, in, size, func(piece []byte) bool {
		for _, l := range parseLines(k, piece) {
			if unread++; l.record != nil {
				unread = 0
			}
			fn(l)
		}
		return unread < maxUnread
	})
}

// eachPiece calls fn for one piece of a journal after the other, until it returns
// false or a line is too long. A piece has whole lines, but for a torn last one, and is
// valid during the call.
func eachPiece(ctx context.Context, in io.ReaderAt, size int64, fn func(piece []byte) bool) error {
	buf := make([]byte, min(size, 256<<10))
	for at, held := int64(0), 0; at < size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := in.ReadAt(buf[held:held+int(min(int64(len(buf)-held), size-at))], at)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		at, held = at+int64(n), held+n
		end := bytes.LastIndexByte(buf[:held], '\n') + 1
		switch {
		case at == size || n == 0: // it has become shorter
			fn(buf[:held])
			return nil
		case end > 0:
			if !fn(buf[:end]) {
				return nil
			}
			held = copy(buf, buf[end:held])
		case held == len(buf) && held >= maxLine:
			return nil
		case held == len(buf):
			buf = slices.Concat(buf, buf)
		}
	}
	return nil
}

// parseLines reads lines on all processors.
func parseLines(k key, data []byte) []parsedLine {
	var lines [][]byte
	for line := range bytes.Lines(data) {
		lines = append(lines, line)
	}
	parsed := make([]parsedLine, len(lines))
	each(len(lines), processors(), func(i int) {
		parsed[i].size = int64(len(lines[i]))
		parsed[i].whole = bytes.HasSuffix(lines[i], []byte("}\n"))
		parsed[i].record, _ = parseRecord(k, lines[i]) // nil says it
	})
	return parsed
}

func (x *journalIndex) note(r *record, base int64) {
	if r.IdempotencyKey != "" {
		x.keyed = append(x.keyed, r)
	}
	if len(x.keyed) > 2*replaysAtOpen {
		x.keyed = slices.Delete(x.keyed, 0, replaysAtOpen)
	}
	if r.Seq > base {
		x.recent = append(x.recent, r)
	}
	if r.Lost > 0 {
		x.gap = r.Seq
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		if s.From != "" {
			delete(x.files, s.From)
		}
		x.files[s.File] = s
		if s.After == nil {
			delete(x.files, s.File)
		}
	}
}

// damage says what is wrong with the lines; "": nothing is.
func (x *journalIndex) damage() string {
	if x.good == x.size {
		return ""
	}
	return fmt.Sprintf("line %d can't be read, is not this user's, or does not follow the one before", x.lines+1)
}

// openJournal opens the journal, making it where there is none. What stands in
// its place and is no regular file is renamed.
func openJournal(d *dir, now time.Time) (f File, created bool, err error) {
	if err := d.unshare(journalName); err != nil {
		return nil, false, err
	}
	f, err = d.Open(journalName, unix.O_RDWR, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) {
		var aside string
		if aside, err = asideName(d, asidePrefix, now); err == nil {
			err = d.Rename(journalName, aside, NoReplace)
		}
		if err == nil {
			err = os.ErrNotExist
		}
	}
	if errors.Is(err, os.ErrNotExist) {
		f, err = d.create(journalName)
		return f, true, err
	}
	return f, false, err
}

// What a journal is called that was set aside: a damaged one, and one that is not
// this user's.
const (
	asidePrefix   = journalName + ".corrupt-"
	foreignPrefix = journalName + ".foreign-"
)

// asideName is a free name for a journal that is set aside.
func asideName(d *dir, prefix string, now time.Time) (string, error) {
	return d.free(prefix+now.UTC().Format("20060102T150405"), "")
}

// replaceJournal puts a new journal in the place of the old one, which gets the
// name kept. At no moment is there none.
func replaceJournal(d *dir, data []byte, kept string) error {
	if err := d.writeNew(kept, data); err != nil {
		return err
	}
	if err := d.Rename(kept, journalName, Exchange); err != nil {
		return errors.Join(err, d.remove(kept))
	}
	return d.SyncDir(".")
}

// eachRecord calls fn for the journal's records up to a sequence number whose
// line holds some bytes. It reads the file as a stream.
func eachRecord(ctx context.Context, d *dir, upTo int64, holding []byte, fn func(*record)) error {
	_, err := eachOfLast(ctx, d, math.MaxInt64, upTo, holding, fn)
	return err
}

// eachOfLast is eachRecord of the last bytes of the journal; whole: these are all.
func eachOfLast(ctx context.Context, d *dir, last, upTo int64, holding []byte, fn func(*record)) (whole bool, err error) {
	f, err := d.Open(journalName, unix.O_RDONLY, 0)
	if err != nil {
		return true, unless(err, os.ErrNotExist)
	}
	info, err := f.Stat()
	from := max(0, info.Size-last)
	if err == nil {
		err = eachPiece(ctx, io.NewSectionReader(f, from, info.Size-from), info.Size-from, func(piece []byte) bool {
			for line := range bytes.Lines(piece) {
				if !bytes.Contains(line, holding) {
					continue
				}
				if r, bad := parseRecord(d.key(), line); bad == nil && r.Seq <= upTo {
					fn(r)
				}
			}
			return true
		})
	}
	return from == 0, errors.Join(err, f.Close())
}
