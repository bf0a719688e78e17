package file

import (
	"cmp"
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// stage is how far the writing of a batch came, for undoing it.
type stage uint8

const (
	staged    stage = iota // temporary files at most
	journaled              // the journal may have grown
	logged                 // .wal may have the frames
)

// maxUnnamed bounds the files that a batch holds open.
const maxUnnamed = maxBatch

// commit makes the batch durable and visible. On an error everything is as it
// was, or p.broken holds what is left to undo.
func (b *batch) commit() error {
	if b.empty() {
		b.renameImported()
		return nil
	}
	p := b.p
	large := int64(len(b.frames)) > p.wal.size-walStart
	if !large && !p.wal.fits(len(b.frames)) {
		if err := p.checkpointFor(b); err != nil {
			b.undo()
			return err
		}
	}
	if err := b.write(large); err != nil {
		b.undo()
		if undoErr := b.rollback(); undoErr != nil {
			p.broken = b
			p.log.Error("undo a failed write", "changes", len(b.done), "error", undoErr)
		}
		return err
	}
	b.adopt()
	p.pendingSync.Store(true)
	if large {
		if err := p.checkpoint(); err != nil {
			p.log.Error("checkpoint", "error", err)
		}
	}
	b.closeUnnamed()
	b.dropTemps()
	b.renameImported()
	b.announce()
	p.spares.refill(len(b.order))
	return nil
}

func (b *batch) write(large bool) error {
	p := b.p
	if err := b.reserve(); err != nil {
		return err
	}
	if err := b.writeTemps(); err != nil {
		return err
	}
	if b.moved { // a record says where files are: it must not come back without that
		if err := p.fs.SyncDir("."); err != nil {
			return err
		}
	}
	b.stage = journaled
	if _, err := p.journal.WriteAt(b.lines, p.mark.Journal); err != nil {
		return fmt.Errorf("journal: %w", err)
	}
	if err := b.log(large); err != nil {
		return fmt.Errorf("redo log: %w", err)
	}
	if err := b.swap(); err != nil {
		return err
	}
	m := p.mark
	m.Done = b.done[len(b.done)-1].rec.Seq
	m.Journal += int64(len(b.lines))
	if !large {
		m.WALPos = p.wal.pos + int64(len(b.frames))
	}
	b.mark = m
	b.mark.Gen = p.nextGen()
	if err := p.putMark(b.mark); err != nil {
		return err
	}
	if !large {
		p.wal.pos += int64(len(b.frames))
		p.wal.last = m.Done
	}
	return nil
}

// log makes the records durable. Writing the temporary files meanwhile, in
// another goroutine, was measured slower: it holds up the sync.
func (b *batch) log(large bool) error {
	if large { // too much for the redo log: the journal itself is it
		return b.p.journal.Datasync()
	}
	b.stage = logged
	return b.p.wal.write(b.frames)
}

func (b *batch) writeTemps() error {
	for i, name := range b.order {
		op := b.ops[name]
		if op.data == nil || op.keep {
			continue
		}
		if op.old == nil && i < maxUnnamed {
			if f := b.p.spares.take(); f != nil {
				op.unnamed = f
				info, err := fill(f, op.data)
				if err != nil {
					return fmt.Errorf("write: %w", err)
				}
				op.info = info
				continue
			}
		}
		op.tmp = b.p.tmpName()
		info, err := b.p.writeTemp(op.tmp, op.data)
		if err != nil {
			return fmt.Errorf("write: %w", err)
		}
		op.info = info
	}
	return nil
}

func (p *Provider) writeTemp(tmp string, data []byte) (Info, error) {
	f, err := p.create(tmp)
	if err != nil {
		return Info{}, err
	}
	info, err := fill(f, data)
	return info, errors.Join(err, f.Close())
}

func fill(f File, data []byte) (Info, error) {
	if _, err := f.WriteAt(data, 0); err != nil {
		return Info{}, err
	}
	return f.Stat()
}

// swap puts the new files in place and takes the old ones out, each in one
// rename, such that the old one can be looked at, and put back.
func (b *batch) swap() error {
	for _, name := range b.order {
		op := b.ops[name]
		if op.keep {
			continue
		}
		var err error
		switch {
		case op.data == nil && op.old == nil: // came and went within the batch
		case op.data == nil:
			err = b.takeOut(name, op)
		case op.unnamed != nil:
			err = b.p.fs.Link(op.unnamed, name)
			op.swapped = err == nil
		case op.old == nil:
			err = b.p.fs.Rename(op.tmp, name, NoReplace)
			op.swapped = err == nil
		default:
			err = b.exchange(name, op)
		}
		if err != nil {
			return fmt.Errorf("put in place: %w", err)
		}
	}
	return nil
}

func (b *batch) takeOut(name string, op *fileOp) error {
	op.tmp = b.p.tmpName()
	err := b.p.fs.Rename(name, op.tmp, NoReplace)
	if errors.Is(err, os.ErrNotExist) {
		op.tmp, op.away = "", op.old
		return nil
	}
	op.swapped = err == nil
	return err
}

// exchange puts a new file in the place of the old one: where that is now, when it
// was moved by hand since we looked. A new file under the old name would be taken for
// free, and be overwritten by the next move; the next look sees the entry moved.
func (b *batch) exchange(name string, op *fileOp) error {
	err := b.p.fs.Rename(op.tmp, name, Exchange)
	for try := 0; errors.Is(err, os.ErrNotExist) && try < maxFollowed; try++ {
		if op.at, err = b.p.whereabouts(op.old); err != nil {
			return err
		}
		if op.at == "" { // removed by hand
			err = b.p.fs.Rename(op.tmp, name, NoReplace)
			op.old, op.away = nil, op.old
			break
		}
		err = b.p.fs.Rename(op.tmp, op.at, Exchange)
	}
	op.swapped = err == nil
	return err
}

// maxFollowed bounds the moves of one file that are followed.
const maxFollowed = 8

// closeUnnamed closes the files that have names now.
func (b *batch) closeUnnamed() {
	for _, name := range b.order {
		if op := b.ops[name]; op.unnamed != nil {
			if err := op.unnamed.Close(); err != nil {
				b.p.log.Warn("close a written file", "name", name, "error", err)
			}
			op.unnamed = nil
		}
	}
}

// dropTemps removes the files that were swapped out. One that is not as it was
// when the change was planned holds an edit of the last moment, or another
// entry's file that was moved there: it is rescued.
func (b *batch) dropTemps() {
	for _, name := range b.order {
		op := b.ops[name]
		var err error
		if op.old != nil && op.tmp != "" && op.swapped {
			err = b.dropTemp(name, op)
		}
		if err == nil && op.away != nil {
			err = b.p.dropAway(op.away)
		}
		if err != nil {
			b.p.log.Warn("remove the old file", "name", name, "error", err)
		}
	}
}

func (b *batch) dropTemp(name string, op *fileOp) error {
	info, err := b.p.fs.Lstat(op.tmp)
	if err == nil && info != op.old.info {
		var another bool
		if another, err = b.p.rescue(op.tmp, name, op.old); another {
			op.away = op.old
		}
	}
	if err != nil {
		return err
	}
	return b.p.removeTemp(op.tmp)
}

// rollback undoes what write did, as far as it came. It can be called again
// after an error.
func (b *batch) rollback() error {
	p := b.p
	for i := len(b.order) - 1; i >= 0; i-- {
		if err := b.unswap(b.order[i]); err != nil {
			return err
		}
	}
	if b.stage >= logged {
		if err := p.wal.clear(len(b.frames)); err != nil {
			return err
		}
	}
	if b.stage >= journaled {
		p.reserved = 0
		if err := p.journal.Truncate(p.mark.Journal); err != nil {
			return err
		}
	}
	b.stage = staged
	if _, err := p.lock.WriteAt(p.mark.bytes(), 0); err != nil {
		return err
	}
	return nil
}

func (b *batch) unswap(name string) error {
	op, p := b.ops[name], b.p
	if op.unnamed != nil {
		if op.swapped {
			if err := p.removeTemp(name); err != nil {
				return err
			}
		}
		op.swapped = false
		err := op.unnamed.Close()
		op.unnamed = nil
		return err
	}
	if op.tmp == "" {
		return nil
	}
	if op.swapped {
		how := NoReplace
		from, to := cmp.Or(op.at, name), op.tmp
		switch {
		case op.data == nil:
			from, to = op.tmp, name
		case op.old != nil:
			how = Exchange
		}
		if err := p.fs.Rename(from, to, how); err != nil && !errors.Is(err, unix.ENOENT) {
			return err
		}
		op.swapped = false
		if op.data == nil {
			op.tmp = ""
			return nil
		}
	}
	if err := p.removeTemp(op.tmp); err != nil {
		return err
	}
	op.tmp = ""
	return nil
}
