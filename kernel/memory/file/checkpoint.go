package file

import (
	"errors"
	"maps"
	"slices"
)

// checkpoint makes everything durable without the redo log and begins a new
// epoch of it. ex and the lock are held, and no batch is being planned but one
// that checkpointFor knows of.
func (p *Provider) checkpoint() error {
	if p.wal.pos == walStart && len(p.dirty) == 0 && p.wal.head.Boot == p.boot {
		p.pendingSync.Store(false)
		return nil
	}
	if err := p.syncAll(); err != nil {
		return err
	}
	if err := p.wal.begin(p.mark.Done, p.mark.Journal, p.boot); err != nil {
		// Which header the disk has is unknown: take a new file.
		p.wal.bad = true
		m := p.mark
		m.Epoch = 0
		return errors.Join(err, p.setMark(m))
	}
	clear(p.dirty)
	p.pendingSync.Store(false)
	m := p.mark
	m.Epoch, m.WALPos = p.wal.head.Epoch, p.wal.pos
	return p.setMark(m)
}

// manyFiles is from how many files on one syncfs(2) is cheaper than an fsync(2)
// of each, which waits for a flush of the disk's cache every time.
const manyFiles = 32

func (p *Provider) syncAll() error {
	if len(p.dirty) > manyFiles {
		return p.fs.SyncAll()
	}
	if err := p.syncFiles(slices.Collect(maps.Keys(p.dirty))); err != nil {
		return err
	}
	if err := p.fs.SyncDir("."); err != nil {
		return err
	}
	return p.journal.Sync()
}

// checkpointFor makes room in the redo log for a batch that is planned.
func (p *Provider) checkpointFor(b *batch) error {
	if err := p.checkpoint(); err != nil {
		return err
	}
	b.reframe()
	return nil
}

// reframe makes the frames anew: they are salted with the epoch.
func (b *batch) reframe() {
	b.frames = b.frames[:0]
	rest := b.lines
	for _, d := range b.done {
		b.frames = b.p.wal.frame(b.frames, d.rec.Seq, rest[:d.size])
		rest = rest[d.size:]
	}
}

// ensureWAL replaces a redo log whose header is in doubt.
func (p *Provider) ensureWAL() error {
	if !p.wal.bad {
		return nil
	}
	if err := p.syncAll(); err != nil {
		return err
	}
	w, err := p.createWAL(max(p.opts.WALSize, p.wal.size), p.mark.Done, p.mark.Journal)
	if err != nil {
		return err
	}
	old := p.wal
	p.wal = w
	clear(p.dirty)
	m := p.mark
	m.Epoch, m.WALPos = w.head.Epoch, w.pos
	return errors.Join(old.f.Close(), p.setMark(m))
}
