package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// logRecovery brings journal, redo log and files to agree.
type logRecovery struct {
	f     *openFolder
	at    position
	index *journalIndex
	inode uint64
	seq   int64
	lost  bool // there is no journal that knows all the files
	anew  bool // a damaged journal was set aside
	redo  bool // something was mended: a checkpoint is due
	boot  bool // another kernel wrote the redo log: the power may have been cut
}

// run recovers and leaves the logs open.
func (r *logRecovery) run(ctx context.Context) error {
	l := r.f.logs
	w, records, err := openWAL(r.f.dir)
	if err != nil && !errors.Is(err, errNoWAL) {
		return fmt.Errorf("redo log: %w", err)
	}
	l.wal = w
	base := r.at.Done
	if w == nil && r.at == (position{}) {
		base = math.MaxInt64 // nothing tells what may be unfinished
	}
	if w != nil {
		base = w.head.Base
		r.redo, r.boot = w.head.Epoch != r.at.Epoch, w.head.Boot != l.boot
	}
	if err := r.openJournal(ctx, base, records); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	r.seq = r.index.last
	if w != nil {
		r.seq = max(r.seq, w.head.Base, w.last)
	}
	done := r.at.Done
	if r.boot || r.at == (position{}) {
		done = base
	}
	l.lock.take(position{Gen: max(r.at.Gen, l.lock.at.Gen), Done: r.seq, Journal: r.index.size, Inode: r.inode})
	if r.at == (position{}) && w == nil {
		return nil
	}
	// What stands before a loss tells of states that the lost records may have
	// changed: the files know better.
	return r.redoAfter(max(done, r.index.gap))
}

// openJournal makes the journal hold every record of the redo log.
func (r *logRecovery) openJournal(ctx context.Context, base int64, records []walRecord) error {
	now := r.f.opts.Clock()
	f, created, err := openJournal(r.f.dir, now)
	if err != nil {
		return err
	}
	x, err := r.readJournal(ctx, f, base)
	if err != nil {
		return errors.Join(err, f.Close())
	}
	if x.foreign && r.f.opts.keepForeign && r.f.logs.wal == nil && r.at == (position{}) { // nothing here is this user's
		return errors.Join(errForeign, f.Close())
	}
	if r.damaged(x, created) {
		if x, err = r.beginAnew(ctx, f, x, created, base, records); err != nil {
			return errors.Join(err, f.Close())
		}
		if err := f.Close(); err != nil {
			return err
		}
		if f, _, err = openJournal(r.f.dir, now); err != nil {
			return err
		}
	}
	r.f.logs.journal = f
	info, err := f.Stat()
	if err != nil {
		return err
	}
	r.inode, r.lost = info.Inode, created || r.anew || x.last == 0 && len(records) == 0
	r.redo = r.redo || r.lost
	return r.complete(x, base, records)
}

// readJournal reads a journal. What stands behind the last checkpoint may be anything
// after a loss of power, and all that was acknowledged of it is in the redo log.
func (r *logRecovery) readJournal(ctx context.Context, f File, base int64) (*journalIndex, error) {
	x, err := indexFile(ctx, r.f.dir.key(), f, base)
	if w := r.f.logs.wal; err == nil && x.corrupt && w != nil && w.head.Journal <= x.size {
		synced, err := indexJournal(ctx, r.f.dir.key(), f, w.head.Journal, base)
		if err == nil && synced.damage() == "" && synced.last == base {
			synced.size = x.size
			return synced, nil
		}
	}
	return x, err
}

// complete cuts a torn end off and appends what only the redo log has.
func (r *logRecovery) complete(x *journalIndex, base int64, records []walRecord) error {
	journal, whole := r.f.logs.journal, x.good
	if x.size != whole {
		r.redo = true
		if err := journal.Truncate(whole); err != nil {
			return err
		}
	}
	var more []byte
	for _, rec := range records {
		if rec.seq <= x.last {
			continue
		}
		more = append(more, rec.line...)
		for _, l := range parseLines(r.f.dir.key(), rec.line) {
			x.add(l, base)
		}
	}
	x.size, r.index = x.good, x
	if more = more[:x.good-whole]; len(more) == 0 {
		return nil
	}
	r.redo = true
	_, err := journal.WriteAt(more, whole)
	return err
}

// damaged reports whether a journal can't be continued: lines can't be read, or
// its end is missing, and the redo log does not have them. One that was just made
// lacks all changes before.
func (r *logRecovery) damaged(x *journalIndex, created bool) bool {
	w := r.f.logs.wal
	if created {
		return r.end() > 0
	}
	last := x.last
	if w != nil && w.head.Base <= x.last {
		last = max(last, w.last)
	}
	return x.corrupt || last < r.at.Done || w != nil && x.last < w.head.Base
}

// end is the number of the last change that is known to have been made.
func (r *logRecovery) end() int64 {
	if w := r.f.logs.wal; w != nil {
		return max(r.at.Done, w.head.Base, w.last)
	}
	return r.at.Done
}

// beginAnew sets a damaged journal aside. The new one begins with a line that
// stands for all changes before, so that numbers go on, and the records of the
// redo log; the other entries are taken from their files.
func (r *logRecovery) beginAnew(ctx context.Context, f File, x *journalIndex, created bool, base int64, records []walRecord) (*journalIndex, error) {
	first := record{Seq: max(r.end(), x.highest), Time: r.f.opts.Clock().UTC().Round(0), Action: actionLost, Steps: []recordStep{}}
	if len(records) > 0 && records[len(records)-1].seq == first.Seq {
		first.Seq = records[0].seq - 1
	} else {
		records = nil // what came after them is lost: the files know better
	}
	first.Lost = first.Seq
	var data []byte
	var err error
	if !created {
		prefix := asidePrefix
		if x.foreign {
			prefix = foreignPrefix
		}
		if first.Kept, err = asideName(r.f.dir, prefix, first.Time); err != nil {
			return nil, err
		}
	}
	if first.Seq > 0 {
		if data, err = first.line(r.f.dir.key()); err != nil {
			return nil, err
		}
	}
	for _, rec := range records {
		data = append(data, rec.line...)
	}
	r.anew = true
	if created {
		_, err = f.WriteAt(data, 0)
	} else {
		err = replaceJournal(r.f.dir, data, first.Kept)
	}
	if err != nil {
		return nil, err
	}
	if !created {
		r.f.opts.Logger.Warn("journal is damaged, or not this user's", "kept", first.Kept, "changes", first.Seq)
	}
	return indexJournal(ctx, r.f.dir.key(), bytes.NewReader(data), int64(len(data)), base)
}

// redoAfter makes the files agree with the records after done, which a crash
// may have left without. A file that holds neither what a record before left nor
// a torn piece of that is an edit by hand, and left alone; after a loss of power it
// may as well be of the disk's old blocks, and is set aside.
func (r *logRecovery) redoAfter(done int64) error {
	targets := map[string]*target{}
	var order []string
	for _, rec := range r.index.recent {
		if rec.Seq <= done {
			continue
		}
		for _, s := range rec.Steps {
			for _, name := range []string{s.File, s.From} {
				if name != "" && targets[name] == nil {
					targets[name] = &target{older: map[string][]byte{}}
					order = append(order, name)
				}
			}
			if s.Action == memory.ActionEdit && s.From+s.Left != "" {
				// It was moved there by hand before the record was made, and stayed
				// there through a crash. What else stood there is not to be overwritten.
				*targets[s.File] = target{older: map[string][]byte{}}
			}
			targets[s.File].set(s)
			if s.From != "" {
				targets[s.From].set(recordStep{Before: s.Before})
			}
		}
	}
	for _, name := range order {
		if err := r.redoFile(name, targets); err != nil {
			return err
		}
	}
	return nil
}

func (r *logRecovery) redoFile(name string, targets map[string]*target) error {
	d, t := r.f.dir, targets[name]
	data, _, err := d.read(name)
	missing := errors.Is(err, os.ErrNotExist)
	if not, ok := errors.AsType[errNotEntry](err); ok {
		return not.fault // without one it stays where it is, and is reported
	}
	if err != nil && !missing {
		return err
	}
	r.f.logs.dirty[name] = r.seq
	switch {
	case missing && t.want == nil, !missing && t.want != nil && hashOf(data) == t.hash:
		return nil
	case missing || t.ours(data):
	case !r.boot || r.movedHere(hashOf(data), targets):
		return nil
	case !r.anothers(name, hashOf(data)):
		if _, err := r.f.aside.setAside(context.Background(), name, data, errInTheWay); err != nil {
			return err
		}
	}
	r.redo = true
	if t.want == nil {
		return d.remove(name)
	}
	good, err := encode(t.want)
	if err != nil {
		return err
	}
	tmp := d.tmpName()
	if _, err := d.writeTemp(tmp, good); err != nil {
		return errors.Join(err, d.remove(tmp))
	}
	return d.Rename(tmp, name, Replace)
}

// anothers reports whether bytes are what the file of another entry held. What this
// one held long ago a person put back.
func (r *logRecovery) anothers(name, hash string) bool {
	held := `"hash":"` + hash + `"`
	return r.f.told(held) && !r.f.told(`"file":"`+name+`",`+held)
}

// movedHere reports whether a file is that of an entry that the records do not
// tell of, and whose own file is not there: a person moved it.
func (r *logRecovery) movedHere(hash string, targets map[string]*target) bool {
	for name, s := range r.index.files {
		if s.Hash == hash && targets[name] == nil {
			data, _, _ := r.f.dir.read(name) // none where it can't be read
			return hashOf(data) != hash
		}
	}
	return false
}

var errInTheWay = memory.Errorf(memory.KindConflict, "recover", "after a loss of power this stood in the place of what was acknowledged")
