package recall

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
)

// The table is kept as a log of what changed it, beside the index. The index's
// mark says how much of which log belongs to it; what lies behind was written
// before a crash and is cut off. When the log is mostly history it is written
// anew under the next number.
//
// A record is its kind and its numbers and strings, as varints and with their
// lengths.
const (
	logDescribe = 1 // uuid, agent, title, start
	logGrow     = 2 // ordinal, passages, turns, end, words
	logRemove   = 3 // ordinal

	markSize    = 20
	recordBytes = 72 // of a process's records, about
	minLogWaste = 1 << 20
)

var errLog = errors.New("the log of the index is damaged")

// turnLog appends to the file of the log. With no folder it keeps nothing.
type turnLog struct {
	dir        string
	generation uint64
	file       *os.File
	size       uint64
	sum        uint32 // CRC-32 of the file up to size
	pending    []byte
	compact    uint64 // size when it was last written anew
}

func logName(generation uint64) string { return fmt.Sprintf("processes.%d", generation) }

func (l *turnLog) describe(h *heldProcess) {
	b := append(l.pending, logDescribe)
	for _, s := range []string{h.uuid, h.agent, h.title} {
		b = binary.AppendUvarint(b, uint64(len(s)))
		b = append(b, s...)
	}
	l.pending = binary.AppendUvarint(b, uint64(h.start))
}

func (l *turnLog) grow(o, passages uint32, turns int, end, words int64) {
	b := append(l.pending, logGrow)
	for _, x := range []uint64{uint64(o), uint64(passages), uint64(turns), uint64(end), uint64(words)} {
		b = binary.AppendUvarint(b, x)
	}
	l.pending = b
}

func (l *turnLog) remove(o uint32) {
	l.pending = binary.AppendUvarint(append(l.pending, logRemove), uint64(o))
}

// flush makes what was recorded durable and returns the mark for it.
func (l *turnLog) flush(t *turnTable) ([]byte, error) {
	if l.dir == "" {
		l.pending = l.pending[:0]
		return nil, nil
	}
	if l.file == nil || l.size > 4*l.compact+minLogWaste {
		if err := l.rewrite(t); err != nil {
			return nil, err
		}
	} else if len(l.pending) > 0 {
		if err := l.write(l.pending); err != nil {
			return nil, err
		}
	}
	l.pending = l.pending[:0]
	mark := binary.LittleEndian.AppendUint64(nil, l.generation)
	mark = binary.LittleEndian.AppendUint64(mark, l.size)
	return binary.LittleEndian.AppendUint32(mark, l.sum), nil
}

func (l *turnLog) write(b []byte) error {
	if _, err := l.file.WriteAt(b, int64(l.size)); err != nil {
		return err
	}
	if err := l.file.Sync(); err != nil {
		return err
	}
	l.size += uint64(len(b))
	l.sum = crc32.Update(l.sum, crc32.IEEETable, b)
	return nil
}

// rewrite writes the table as a new log. The old one stays until the mark of
// the new one is durable: see drop.
func (l *turnLog) rewrite(t *turnTable) error {
	whole := turnLog{}
	t.record(&whole)
	f, err := os.OpenFile(filepath.Join(l.dir, logName(l.generation+1)), os.O_CREATE|os.O_TRUNC|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	fresh := turnLog{dir: l.dir, generation: l.generation + 1, file: f}
	if err := fresh.write(whole.pending); err != nil {
		return errors.Join(err, f.Close())
	}
	if err := syncDir(l.dir); err != nil {
		return errors.Join(err, f.Close())
	}
	fresh.compact = fresh.size
	fresh.pending = l.pending
	_ = l.close()
	*l = fresh
	return nil
}

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// drop removes the logs of other generations.
func (l *turnLog) drop() {
	names, _ := filepath.Glob(filepath.Join(l.dir, "processes.*"))
	for _, name := range names {
		if l.dir != "" && filepath.Base(name) != logName(l.generation) {
			_ = os.Remove(name) // the next one tries again
		}
	}
}

func (l *turnLog) close() error {
	if l.file == nil {
		return nil
	}
	f := l.file
	l.file = nil
	return f.Close()
}

// record writes a log that makes the table. Removed processes keep their
// ordinals and slots.
func (t *turnTable) record(l *turnLog) {
	for i := range t.processes {
		h := t.processes[i]
		if h.removed {
			h.uuid = fmt.Sprint("\x00removed ", i) // unlike any other
		}
		l.describe(&h)
	}
	grown := make([]bool, len(t.processes))
	for _, r := range t.runs {
		h := &t.processes[r.process]
		if grown[r.process] {
			l.grow(r.process, r.count, 0, h.end, 0)
			continue
		}
		grown[r.process] = true
		l.grow(r.process, r.count, h.turns, h.end, h.words)
	}
	for i := range t.processes {
		if h := &t.processes[i]; h.removed {
			l.remove(uint32(i))
		} else if !grown[i] && (h.turns > 0 || h.end > 0) {
			l.grow(uint32(i), 0, h.turns, h.end, h.words)
		}
	}
}

// readLog reads the log that a mark belongs to.
func readLog(dir string, mark []byte) (*turnLog, *turnTable, error) {
	l := &turnLog{dir: dir}
	if len(mark) == 0 {
		return l, newTurnTable(), nil
	}
	if len(mark) != markSize {
		return nil, nil, errLog
	}
	l.generation = binary.LittleEndian.Uint64(mark)
	l.size = binary.LittleEndian.Uint64(mark[8:])
	f, err := os.OpenFile(filepath.Join(dir, logName(l.generation)), os.O_RDWR, 0o600)
	if err != nil {
		return nil, nil, errors.Join(errLog, err)
	}
	fi, err := f.Stat()
	if err != nil || uint64(fi.Size()) < l.size {
		return nil, nil, errors.Join(errLog, err, f.Close())
	}
	b := make([]byte, l.size)
	_, err = f.ReadAt(b, 0)
	l.sum = crc32.ChecksumIEEE(b)
	if err != nil || l.sum != binary.LittleEndian.Uint32(mark[16:]) {
		return nil, nil, errors.Join(errLog, err, f.Close())
	}
	t, err := replay(b)
	if err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	l.file, l.compact = f, l.size
	return l, t, nil
}

// replay makes the table that a log records.
func replay(b []byte) (*turnTable, error) {
	t := newTurnTable()
	t.reserve(len(b) / recordBytes)
	r := logReader{rest: b}
	for len(r.rest) > 0 && r.err == nil {
		switch r.kind() {
		case logDescribe:
			h := heldProcess{uuid: r.text(), agent: r.text(), title: r.text(), start: int64(r.number())}
			t.describe(h)
		case logGrow:
			o, passages := r.ordinal(t), uint32(r.number())
			turns, end, words := int(r.number()), int64(r.number()), int64(r.number())
			if r.err == nil {
				t.grow(o, passages, turns, end, words)
			}
		case logRemove:
			if o := r.ordinal(t); r.err == nil {
				t.remove(o)
			}
		default:
			return nil, errLog
		}
	}
	return t, r.err
}

// logReader reads what turnLog wrote.
type logReader struct {
	rest []byte
	err  error
}

func (r *logReader) kind() byte {
	k := r.rest[0]
	r.rest = r.rest[1:]
	return k
}

func (r *logReader) number() uint64 {
	x, n := binary.Uvarint(r.rest)
	if n <= 0 {
		r.err, r.rest = errLog, nil
		return 0
	}
	r.rest = r.rest[n:]
	return x
}

func (r *logReader) text() string {
	n := r.number()
	if n > uint64(len(r.rest)) {
		r.err = errLog
		return ""
	}
	s := string(r.rest[:n])
	r.rest = r.rest[n:]
	return s
}

func (r *logReader) ordinal(t *turnTable) uint32 {
	o := r.number()
	if o >= uint64(len(t.processes)) {
		r.err = errLog
		return 0
	}
	return uint32(o)
}
