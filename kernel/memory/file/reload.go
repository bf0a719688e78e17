package file

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// replaysAtOpen bounds the idempotency keys that are read back: a retry comes
// within minutes.
const replaysAtOpen = 1024

// reload reads the whole folder: at open, after another process's crash, and
// when the journal is not the one we knew. ex and the lock are held.
func (p *Provider) reload(ctx context.Context) error { return p.reloadWith(ctx, false) }

// reloadWith reads the whole folder. strict also finds damage within lines of
// the journal that opening does not read through.
func (p *Provider) reloadWith(ctx context.Context, strict bool) error {
	p.stale = true
	if err := p.closeLogs(); err != nil {
		return err
	}
	p.reset()
	p.broken = nil
	m, err := readMark(p.lock)
	if err != nil {
		return err
	}
	r := &recovery{p: p, mark: m, strict: strict}
	if err := r.run(); err != nil {
		return err
	}
	p.mark = mark{Gen: max(m.Gen, p.mark.Gen), Done: r.seq, Journal: int64(len(r.index.data)), Inode: r.inode}
	found, err := p.loadFiles(r)
	if err != nil {
		return err
	}
	if err := r.finish(); err != nil {
		return err
	}
	p.quiet, p.lenient, p.salvaged = true, r.lost, r.salvaged
	err = p.settle(ctx, found)
	if err == nil && r.salvaged { // files that changed names among themselves
		err = p.settleAll(ctx)
	}
	p.quiet, p.lenient, p.salvaged = false, false, false
	if err != nil {
		return err
	}
	p.stale = false
	p.publish()
	if opened := p.opts.Hooks.Opened; opened != nil {
		opened(p.published.Load().view.Entries)
	}
	return nil
}

func (p *Provider) closeLogs() error {
	var errs []error
	if p.journal != nil {
		errs = append(errs, p.journal.Close())
	}
	if p.wal != nil {
		errs = append(errs, p.wal.f.Close())
	}
	p.journal, p.wal = nil, nil
	return errors.Join(errs...)
}

// recovery brings journal, redo log and files to agree.
type recovery struct {
	p     *Provider
	mark  mark
	index *journalIndex
	inode uint64
	seq   int64
	lost  bool // there is no journal that knows all the files
	redo  bool // something was mended: a checkpoint is due
	boot  bool // the machine may have lost power since the epoch began

	strict   bool // each line of the journal is read through
	salvaged bool // changes are missing from the journal
}

func (r *recovery) run() error {
	p := r.p
	w, records, err := openWAL(p.fs)
	if err != nil && !errors.Is(err, errNoWAL) {
		return fmt.Errorf("redo log: %w", err)
	}
	p.wal = w
	base := r.mark.Done
	if w != nil {
		base = w.head.Base
		r.boot = w.head.Boot != p.boot
	}
	if err := r.openJournal(base, w, records); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	r.seq = r.index.last
	if w != nil {
		r.seq = max(r.seq, w.head.Base, w.last)
	}
	done := r.mark.Done
	if r.boot || r.mark == (mark{}) {
		done = base
	}
	// What stands before a loss tells of states that the lost records may have
	// changed: the files know better.
	done = max(done, r.index.gap)
	if r.mark == (mark{}) && w == nil {
		return nil // nothing tells what may be unfinished
	}
	return r.redoAfter(done)
}

// openJournal makes the journal hold every record of the redo log.
func (r *recovery) openJournal(base int64, w *wal, records []walRecord) error {
	f, data, created, err := r.p.openJournal()
	if err != nil {
		return err
	}
	x := indexJournal(data, base)
	if r.damaged(x, w, created) {
		if f, data, err = r.salvage(f, x, w, records, created); err != nil {
			return err
		}
		x = indexJournal(data, base)
	}
	r.p.journal, r.p.reserved = f, 0
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.inode, r.lost = info.Inode, created || r.salvaged
	r.redo = r.redo || r.lost
	return r.complete(x, base, records)
}

// complete cuts a torn end off and appends what only the redo log has.
func (r *recovery) complete(x *journalIndex, base int64, records []walRecord) error {
	data := x.data[:x.good]
	if len(x.data) != len(data) {
		r.redo = true
		if err := r.p.journal.Truncate(x.good); err != nil {
			return err
		}
	}
	whole := len(data)
	last := x.last
	for _, rec := range records {
		if rec.seq > last && (last == 0 || rec.seq == last+1) {
			data = append(data[:len(data):len(data)], rec.line...)
			last = rec.seq
		}
	}
	if len(data) > whole {
		r.redo = true
		if _, err := r.p.journal.WriteAt(data[whole:], int64(whole)); err != nil {
			return err
		}
		x = indexJournal(data, base)
	}
	x.data = data
	r.index = x
	return nil
}

// damaged reports whether the journal has to be put together from what can be
// read of it. One that was just made is, when there were changes before.
func (r *recovery) damaged(x *journalIndex, w *wal, created bool) bool {
	if created {
		return r.end(w) > 0
	}
	return r.broken(x, w) || r.strict && !readRemains(x.data).whole()
}

// end is the number of the last change that is known to have been made.
func (r *recovery) end(w *wal) int64 {
	if w == nil {
		return r.mark.Done
	}
	return max(r.mark.Done, w.head.Base, w.last)
}

// broken reports whether a journal can't be continued: lines can't be read, or
// its end is missing, and the redo log does not have them.
func (r *recovery) broken(x *journalIndex, w *wal) bool {
	last := x.last
	if w != nil && w.head.Base <= x.last {
		last = max(last, w.last)
	}
	if last < r.mark.Done || w != nil && x.last < w.head.Base {
		return true
	}
	return x.corrupt && !covered(x, w)
}

// covered reports whether the redo log has every record of a damaged rest of the
// journal, so that the rest can be written again.
func covered(x *journalIndex, w *wal) bool {
	if w == nil || w.last == w.head.Base || w.head.Base > x.last {
		return false
	}
	for line := range strings.SplitSeq(string(x.data[x.good:]), "\n") {
		if l, err := scanLine([]byte(line)); err == nil && (l.seq > w.last || l.seq <= x.last) {
			return false
		}
	}
	return true
}

// finish begins the epoch that the process goes on with.
func (r *recovery) finish() error {
	p := r.p
	size := int64(len(r.index.data))
	if p.wal == nil {
		if err := p.syncAll(); err != nil {
			return err
		}
		w, err := p.createWAL(p.opts.WALSize, r.seq, size)
		if err != nil {
			return err
		}
		p.wal = w
	} else if r.redo || r.boot {
		if err := p.checkpoint(); err != nil {
			return err
		}
	}
	m := p.mark
	m.Epoch, m.WALPos = p.wal.head.Epoch, p.wal.pos
	return p.setMark(m)
}

// loadFiles fills the state with the entries that are as the journal knows them,
// and returns the names of files that it knows otherwise or not at all.
func (p *Provider) loadFiles(r *recovery) ([]string, error) {
	names, err := p.fs.ReadDir(".")
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return !isEntryName(n) })
	slices.Sort(names)
	l := loader{p: p, index: r.index, ids: map[string]bool{}, keys: map[string]bool{}, seen: map[string]bool{}}
	for _, f := range p.readFiles(names, r.index) {
		l.file(f)
	}
	for _, name := range slices.Sorted(maps.Keys(r.index.files)) {
		if !l.seen[name] {
			l.expect(name)
		}
	}
	slices.SortFunc(l.entries, byCreation)
	p.state = memory.NewState(l.entries, r.seq)
	for _, at := range r.index.keyed[max(0, len(r.index.keyed)-replaysAtOpen):] {
		if rec, err := r.index.record(at); err == nil {
			p.remembered(memory.Change{IdempotencyKey: rec.IdempotencyKey, Digest: rec.Digest},
				memory.Result{Sequence: rec.Seq, Steps: rec.steps(), Used: rec.Used})
		}
	}
	return l.pending, nil
}

func byCreation(a, b *memory.Entry) int {
	if c := a.Created.Compare(b.Created); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

// loader builds the first state.
type loader struct {
	p         *Provider
	index     *journalIndex
	ids, keys map[string]bool
	seen      map[string]bool
	entries   []*memory.Entry
	pending   []string // to be settled
}

func (l *loader) file(f loadedFile) {
	l.seen[f.name] = true
	line, isKnown := l.index.files[f.name]
	var not errNotEntry
	if errors.As(f.err, &not) {
		l.p.blocked[f.name] = not.problem
		l.expect(f.name)
		return
	}
	if !isKnown || f.hash != line.hash || f.entry == nil || !l.take(f.name, f.entry, known{says: f.says, hash: f.hash, info: f.info}) {
		if isKnown && !f.doubt {
			l.expect(f.name)
		}
		l.pending = append(l.pending, f.name)
	}
}

// expect puts in the entry that a file should hold, by the journal. The file is
// to be settled: it was edited, renamed or removed.
func (l *loader) expect(name string) {
	if e := l.index.after(name); e != nil {
		l.take(name, e, known{says: l.index.named(name), hash: l.index.files[name].hash})
		if _, blocked := l.p.blocked[name]; !blocked && !l.seen[name] {
			l.pending = append(l.pending, name)
		}
	}
}

func (l *loader) take(name string, e *memory.Entry, k known) bool {
	if l.ids[e.ID] || l.keys[e.Key] {
		return false
	}
	l.ids[e.ID], l.keys[e.Key] = true, true
	k.id = e.ID
	l.entries = append(l.entries, e)
	l.p.remember(name, &k)
	l.p.names[e.ID] = name
	l.p.track(nil, e)
	return true
}

type loadedFile struct {
	name  string
	hash  string
	info  Info
	says  string        // the id that it names
	entry *memory.Entry // nil when the journal does not know these bytes
	err   error
	doubt bool // the journal knows these bytes by another text
}

func (p *Provider) loadFile(name string, index *journalIndex) loadedFile {
	f := loadedFile{name: name}
	var data []byte
	if data, f.info, f.err = p.readEntry(name); f.err != nil {
		return f
	}
	f.hash = hashOf(data)
	line, ok := index.files[name]
	if !ok || line.hash != f.hash {
		return f
	}
	e, err := decode(data)
	if line.edit {
		f.entry = index.after(name)
		if err == nil {
			f.says = e.ID
			if f.entry != nil && e.Content != f.entry.Content {
				f.entry, f.doubt = nil, true
			}
		}
		return f
	}
	if err == nil {
		complete(e, name, time.Unix(0, f.info.ModTime))
		if e.ID != "" {
			f.entry, f.says = e, e.ID
		}
	}
	return f
}
