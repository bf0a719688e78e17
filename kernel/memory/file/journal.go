package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

const journalName = "journal.jsonl"

// journalIndex is a journal as it was read: what opening needs of it.
type journalIndex struct {
	data    []byte
	last    int64                  // sequence number of the last line, 0 when empty
	gap     int64                  // of the last line that stands for lost ones, 0 when none does
	good    int64                  // bytes of complete, contiguous lines
	lines   int                    // of these
	corrupt bool                   // there is more than a torn last line behind them
	foreign bool                   // corrupt, and no line is this user's
	highest int64                  // sequence number of all lines that can be read
	files   map[string]*recordStep // what was done last to each file that is there
	keyed   []*record              // with an idempotency key, oldest first
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
func indexJournal(k key, data []byte, base int64) *journalIndex {
	x := &journalIndex{data: data, files: map[string]*recordStep{}, foreign: true}
	for _, l := range parseLines(k, data) {
		r := l.record
		if r != nil {
			x.foreign = false
			x.highest = max(x.highest, r.Seq)
		}
		if x.corrupt || r == nil || x.last != 0 && r.first() != x.last+1 {
			x.corrupt = x.corrupt || r != nil || l.whole || x.good+l.size < int64(len(data))
			continue
		}
		x.note(r, base)
		x.last, x.good, x.lines = r.Seq, x.good+l.size, x.lines+1
	}
	x.foreign = x.foreign && x.corrupt
	return x
}

// parseLines reads all lines on all processors. One without an end is torn.
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
	if x.good == int64(len(x.data)) {
		return ""
	}
	return fmt.Sprintf("line %d can't be read, is not this user's, or does not follow the one before", x.lines+1)
}

// openJournal opens the journal, making it where there is none. What stands in
// its place and is no regular file is renamed.
func openJournal(d *dir, now time.Time) (f File, data []byte, created bool, err error) {
	if err := d.unshare(journalName); err != nil {
		return nil, nil, false, err
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
		return f, nil, true, err
	}
	if err != nil {
		return nil, nil, false, err
	}
	data, err = readWhole(f)
	if err != nil {
		return nil, nil, false, errors.Join(err, f.Close())
	}
	return f, data, false, nil
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
	f, err := d.Open(journalName, unix.O_RDONLY, 0)
	if err != nil {
		return unless(err, os.ErrNotExist)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)
	for err == nil {
		var line []byte
		line, err = in.ReadBytes('\n')
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil || !bytes.Contains(line, holding) {
			continue
		}
		if r, bad := parseRecord(d.key(), line); bad == nil && r.Seq <= upTo {
			fn(r)
		}
	}
	return errors.Join(unless(err, io.EOF), f.Close())
}
