package file

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const journalName = "journal.jsonl"

// journalIndex is what opening needs of a journal without decoding it all.
type journalIndex struct {
	data    []byte
	last    int64 // sequence number of the last line, 0 when empty
	gap     int64 // of the last line that stands in for lost ones, 0 when none does
	good    int64 // bytes of complete, contiguous lines
	corrupt bool  // there is more than a torn last line behind them
	files   map[string]fileLine
	keyed   []span // lines with an idempotency key, oldest first
	recent  []seqSpan
}

// span is a line's place in the journal.
type span struct{ from, to int64 }

type seqSpan struct {
	seq int64
	span
}

// fileLine is the last line about a file.
type fileLine struct {
	hash string
	edit bool // taken in from an edit: the line knows more than the file
	span
}

// indexJournal reads lines as long as they follow one another. Lines after base
// are kept in recent.
func indexJournal(data []byte, base int64) *journalIndex {
	x := &journalIndex{data: data, files: map[string]fileLine{}}
	for x.good < int64(len(data)) {
		n := bytes.IndexByte(data[x.good:], '\n')
		if n < 0 {
			return x // torn
		}
		at := span{x.good, x.good + int64(n) + 1}
		l, err := scanLine(data[at.from : at.to-1])
		if err != nil || x.last != 0 && l.first() != x.last+1 {
			x.corrupt = at.to < int64(len(data)) || err == nil
			return x
		}
		x.note(l, at)
		if l.seq > base {
			x.recent = append(x.recent, seqSpan{l.seq, at})
		}
		if l.lost > 0 {
			x.gap = l.seq
		}
		x.last, x.good = l.seq, at.to
	}
	return x
}

func (x *journalIndex) note(l liteRecord, at span) {
	if l.keyed {
		x.keyed = append(x.keyed, at)
	}
	for _, s := range l.steps {
		if s.from != "" {
			delete(x.files, s.from)
		}
		if s.gone {
			delete(x.files, s.file)
			continue
		}
		x.files[s.file] = fileLine{hash: s.hash, edit: s.action == string(memory.ActionEdit), span: at}
	}
}

func (x *journalIndex) record(at span) (*record, error) { return parseRecord(x.data[at.from:at.to]) }

// after is the entry that the last line about a file left.
func (x *journalIndex) after(name string) *memory.Entry {
	if s := x.step(name); s != nil {
		return s.After
	}
	return nil
}

// named is the id that a file named when its last line was written.
func (x *journalIndex) named(name string) string {
	if s := x.step(name); s != nil {
		return s.named()
	}
	return ""
}

// step is what was done last to a file, nil where that is not known.
func (x *journalIndex) step(name string) *recordStep {
	fl, ok := x.files[name]
	if !ok {
		return nil
	}
	r, err := x.record(fl.span)
	if err != nil {
		return nil
	}
	for i := len(r.Steps) - 1; i >= 0; i-- {
		if r.Steps[i].File == name {
			return &r.Steps[i]
		}
	}
	return nil
}

// openJournal opens the journal, making it where there is none. What stands in
// its place and is no regular file is moved away.
func (p *Provider) openJournal() (f File, data []byte, created bool, err error) {
	f, err = p.fs.Open(journalName, unix.O_RDWR, 0)
	if errors.Is(err, unix.ELOOP) || errors.Is(err, unix.EISDIR) {
		if err := p.setJournalAside("it is not a regular file"); err != nil {
			return nil, nil, false, err
		}
		err = os.ErrNotExist
	}
	if errors.Is(err, os.ErrNotExist) {
		if f, err = p.create(journalName); err != nil {
			return nil, nil, false, err
		}
		return f, nil, true, nil
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

// setJournalAside renames what stands in the journal's place and is none.
func (p *Provider) setJournalAside(reason string) error {
	to, err := p.asideName()
	if err != nil {
		return err
	}
	if err := p.fs.Rename(journalName, to, NoReplace); err != nil {
		return err
	}
	p.log.Warn("journal set aside", "kept", to, "reason", reason)
	return nil
}

const asidePrefix = journalName + ".corrupt-"

// asideName is a free name for a journal that is set aside.
func (p *Provider) asideName() (string, error) {
	stamp := asidePrefix + p.opts.Clock().UTC().Format("20060102T150405")
	name := stamp
	for n := 2; ; n++ {
		_, err := p.fs.Lstat(name)
		if errors.Is(err, os.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = stamp + "-" + strconv.Itoa(n)
	}
}
