package file

import (
	"bytes"
	"errors"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// minLine is less than any line of a journal has bytes.
const minLine = 128

// actionLost is the action of a line that stands in for lost ones.
const actionLost memory.Action = "lost"

// salvage puts a journal together from the lines that can be read of a damaged
// one and the records of the redo log. The damaged one is kept whole; created:
// there was none.
func (r *recovery) salvage(f File, x *journalIndex, w *wal, records []walRecord, created bool) (File, []byte, error) {
	b := rebuilt{p: r.p}
	var err error
	if !created {
		b.kept, err = r.p.asideName()
	}
	if err == nil {
		err = b.build(readRemains(x.data), r.end(w), records)
	}
	r.salvaged, r.redo = b.lost > 0, true
	if err == nil && created {
		_, err = f.WriteAt(b.data, 0)
	}
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	if created {
		return f, b.data, nil
	}
	if err := f.Close(); err != nil {
		return nil, nil, err
	}
	f, err = r.p.replaceJournal(b.data, b.kept)
	if err == nil {
		r.p.log.Warn("journal was damaged", "kept", b.kept, "lost", b.lost)
	}
	return f, b.data, err
}

// replaceJournal puts a new journal in the place of the old one, which gets the
// name kept. At no moment is there none.
func (p *Provider) replaceJournal(data []byte, kept string) (File, error) {
	tmp := p.tmpName()
	f, err := p.create(tmp)
	if err != nil {
		return nil, err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = p.fs.Rename(tmp, kept, NoReplace)
	}
	if err != nil {
		return nil, errors.Join(err, f.Close(), p.removeTemp(tmp))
	}
	err = p.fs.Rename(kept, journalName, Exchange)
	if err != nil {
		return nil, errors.Join(err, f.Close(), p.removeTemp(kept))
	}
	if err := p.fs.SyncDir("."); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// rebuilt is a journal that is being put together. Lines that stand in for lost
// ones make the numbers follow one another.
type rebuilt struct {
	p    *Provider
	kept string
	data []byte
	seq  int64 // of the last line
	lost int64 // changes
}

// build writes the lines; end is the last change that is known to have been made.
func (b *rebuilt) build(m *remains, end int64, records []walRecord) error {
	for _, l := range withRecords(m.good, records) {
		from := l.first() - 1
		if end > 0 && from > max(b.seq, end) {
			break // nothing vouches for its number
		}
		if err := b.reach(from, m); err != nil {
			return err
		}
		if from < b.seq { // it stands in for changes that were found
			if err := b.standIn(l.seq, l.seq-b.seq); err != nil {
				return err
			}
			continue
		}
		b.data = append(append(b.data, l.line...), '\n')
		b.seq = l.seq
	}
	if end == 0 {
		end = b.seq + m.tail()
	}
	return b.standIn(end, end-b.seq)
}

// reach fills the hole before the line that follows the change from.
func (b *rebuilt) reach(from int64, m *remains) error {
	switch {
	case b.seq > 0 || m.lines == 0:
		return b.standIn(from, from-b.seq)
	case m.head > 0: // a journal need not have begun with the first change
		return b.standIn(from, min(from, m.head/minLine+1))
	}
	b.seq = from
	return nil
}

// standIn writes a line for n lost changes of which seq is the last.
func (b *rebuilt) standIn(seq, n int64) error {
	if n <= 0 {
		return nil
	}
	r := record{Seq: seq, Time: b.p.opts.Clock().UTC().Round(0), Action: actionLost, Lost: n, Kept: b.kept, Steps: []recordStep{}}
	line, err := r.line()
	if err != nil {
		return err
	}
	b.data = append(b.data, line...)
	b.seq, b.lost = seq, b.lost+n
	return nil
}

// withRecords puts the records of the redo log, which have checksums, among the
// lines.
func withRecords(lines []goodLine, records []walRecord) []goodLine {
	here := map[int64]bool{}
	var all []goodLine
	for _, rec := range records {
		if l, ok := readRecord(bytes.TrimSuffix(rec.line, []byte("\n"))); ok && l.seq == rec.seq {
			all = append(all, l)
			here[l.seq] = true
		}
	}
	for _, l := range lines {
		if !here[l.seq] {
			all = append(all, l)
		}
	}
	slices.SortFunc(all, bySeq)
	return all
}
