package file

import (
	"errors"
	"fmt"
	"os"
	"slices"
)

// errNotUndone wraps the error of a batch that could not be undone: what is left
// of it has to be rolled back before anything else.
type errNotUndone struct {
	error
	b *batch
}

func (e errNotUndone) Unwrap() error { return e.error }

// commit makes the batch durable and visible. On an error everything is as it
// was, unless it is an errNotUndone.
func (b *batch) commit() error {
	if len(b.done) == 0 {
		return nil
	}
	l := b.f.logs
	large := int64(b.logSize()) > l.wal.size-walStart
	if !l.fits(b.logSize()) && !large {
		if err := l.checkpoint(); err != nil {
			b.undo()
			return err
		}
	}
	if err := b.write(large); err != nil {
		b.undo()
		if undoErr := b.rollback(); undoErr != nil {
			b.f.opts.Logger.Error("undo a failed write", "changes", len(b.done), "error", undoErr)
			return errNotUndone{err, b}
		}
		return err
	}
	b.adopt()
	l.unsynced.Store(true)
	if large {
		if err := l.checkpoint(); err != nil {
			b.f.opts.Logger.Error("checkpoint", "error", err)
		}
	}
	b.dropTemps()
	if err := b.f.dir.bury(b.unburied); err != nil {
		b.f.opts.Logger.Error("a removed text is not remembered", "error", err)
	}
	b.f.announce(b.changes()...)
	return nil
}

func (b *batch) write(large bool) error {
	l := b.f.logs
	grows := slices.ContainsFunc(b.touches(), func(name string) bool { return b.ops[name].data != nil })
	if err := l.reserve(len(b.lines), grows); err != nil {
		return err
	}
	buried := b.f.dir.bury(b.tombstones)
	if full(buried) && !grows { // removing works on a full disk, and makes room
		b.unburied, buried = b.tombstones, nil
	}
	if err := errors.Join(b.writeTemps(), buried); err != nil {
		return err
	}
	if b.moved { // a record says where files are: it must not come back without that
		if err := b.f.dir.SyncDir("."); err != nil {
			return err
		}
	}
	at := l.lock.at
	b.stage = journaled
	if _, err := l.journal.WriteAt(b.lines, at.Journal); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := b.writeLog(large); err != nil {
		return fmt.Errorf("redo log: %w", err)
	}
	if err := b.swap(); err != nil {
		return err
	}
	at.Done = b.done[len(b.done)-1].record.Seq
	at.Journal += int64(len(b.lines))
	if !large {
		at.WALPos = l.wal.pos + int64(b.logSize())
	}
	at.Gen = l.lock.nextGen()
	b.at = at
	if err := l.lock.put(at); err != nil {
		return err
	}
	if !large {
		l.wal.pos, l.wal.last = at.WALPos, at.Done
	}
	return nil
}

// writeLog makes the records durable.
func (b *batch) writeLog(large bool) error {
	if large { // too much for the redo log: the journal itself is it
		return b.f.logs.journal.Datasync()
	}
	b.stage = logged
	var frames []byte
	for _, d := range b.done {
		frames = b.f.logs.wal.frame(frames, d.record.Seq, d.line)
	}
	return b.f.logs.wal.write(frames)
}

func (b *batch) writeTemps() error {
	for _, name := range b.touches() {
		op := b.ops[name]
		if op.data == nil {
			continue
		}
		op.tmp = b.f.dir.tmpName()
		info, err := b.f.dir.writeTemp(op.tmp, op.data)
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		op.info = info
	}
	return nil
}

// swap puts the new files in place and takes the old ones out, each in one
// rename, such that the old one can be looked at, and put back. One that was
// edited or moved since the change was planned is an errEdited.
func (b *batch) swap() error {
	d := b.f.dir
	for _, name := range b.touches() {
		op := b.ops[name]
		var err error
		switch {
		case op.data == nil && op.old == nil: // came and went within the batch
			continue
		case op.data == nil:
			op.tmp = d.tmpName()
			err = d.Rename(name, op.tmp, NoReplace)
		case op.old == nil:
			err = d.Rename(op.tmp, name, NoReplace)
		default:
			err = d.Rename(op.tmp, name, Exchange)
		}
		if errors.Is(err, os.ErrNotExist) || errors.Is(err, os.ErrExist) {
			return errEdited{name}
		}
		op.swapped = err == nil
		if err == nil && op.old != nil {
			err = b.asKnown(name, op)
		}
		if err != nil {
			return fmt.Errorf("put in place: %w", err)
		}
	}
	return nil
}

// asKnown makes sure that the file that was swapped out is the one that is known.
// An empty one holds nothing that could be lost.
func (b *batch) asKnown(name string, op *fileOp) error {
	info, err := b.f.dir.Lstat(op.tmp)
	if err != nil || info == op.old.info {
		return err
	}
	data, _, err := b.f.dir.read(op.tmp)
	if err != nil || len(data) > 0 && hashOf(data) != op.old.hash {
		return errEdited{name}
	}
	return nil
}

// dropTemps removes the files that were swapped out.
func (b *batch) dropTemps() {
	for _, name := range b.order {
		op := b.ops[name]
		if op.old == nil || op.tmp == "" || !op.swapped {
			continue
		}
		if err := b.f.dir.remove(op.tmp); err != nil {
			b.f.opts.Logger.Warn("remove the old file", "name", name, "error", err)
		}
	}
}

// rollback undoes what write did, as far as it came. It can be called again
// after an error.
func (b *batch) rollback() error {
	l := b.f.logs
	for i := len(b.order) - 1; i >= 0; i-- {
		if err := b.unswap(b.order[i]); err != nil {
			return err
		}
	}
	if b.stage >= logged {
		if err := l.wal.clear(b.logSize()); err != nil {
			return err
		}
	}
	if b.stage >= journaled {
		l.reserved = 0
		if err := l.journal.Truncate(l.lock.at.Journal); err != nil {
			return err
		}
	}
	b.stage = staged
	return l.lock.put(l.lock.at)
}

func (b *batch) unswap(name string) error {
	op, d := b.ops[name], b.f.dir
	if op.tmp == "" {
		return nil
	}
	if op.swapped && op.old != nil {
		err := os.ErrNotExist
		if op.data != nil {
			err = d.Rename(name, op.tmp, Exchange)
		}
		if errors.Is(err, os.ErrNotExist) {
			err = b.putBack(name, op)
		}
		if err != nil {
			return err
		}
	} else if op.swapped {
		if err := d.Rename(name, op.tmp, NoReplace); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	op.swapped = false
	if op.tmp == "" {
		return nil
	}
	if err := d.remove(op.tmp); err != nil {
		return err
	}
	op.tmp = ""
	return nil
}

// putBack gives the file that was taken out its name, or another where a person has
// moved one there in the meantime.
func (b *batch) putBack(name string, op *fileOp) error {
	free, err := b.f.dir.free(keyOf(name), ext)
	if err == nil {
		err = b.f.dir.Rename(op.tmp, free, NoReplace)
	}
	if err == nil {
		op.tmp = ""
	}
	return err
}
