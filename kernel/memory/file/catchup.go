package file

import (
	"bytes"
	"context"
	"errors"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// catchUp makes the state that of the folder. ex and the lock are held. When
// nobody else was here it costs a read of the mark and a look at the journal.
func (p *Provider) catchUp(ctx context.Context) error {
	m, err := readMark(p.lock)
	if err != nil {
		return err
	}
	// A torn mark is our own: a process that had the folder since left a whole one.
	if p.broken != nil && (m == p.mark || m == p.broken.mark || m == (mark{})) && !p.stale {
		if err := p.broken.rollback(); err != nil {
			return err
		}
		p.broken = nil
		m = p.mark
	}
	if p.stale || p.broken != nil {
		return p.reload(ctx)
	}
	info, err := p.fs.Lstat(journalName)
	if err != nil && !errors.Is(err, unix.ENOENT) {
		return err
	}
	if err != nil || info.Inode != m.Inode || info.Size != m.Journal || m.Gen < p.mark.Gen {
		return p.reload(ctx)
	}
	if m == p.mark {
		return p.ensureWAL()
	}
	if m.Inode != p.mark.Inode || m.Journal < p.mark.Journal || p.follow(m) != nil {
		return p.reload(ctx)
	}
	return p.ensureWAL()
}

var errFollow = errors.New("not the continuation of what is known")

// follow takes over what other processes did, from the journal.
func (p *Provider) follow(m mark) error {
	if err := p.followWAL(m); err != nil {
		return err
	}
	data := make([]byte, m.Journal-p.mark.Journal)
	if _, err := p.journal.ReadAt(data, p.mark.Journal); err != nil {
		return err
	}
	var records []*record
	seq := p.mark.Done
	for line := range bytes.Lines(data) {
		rec, err := parseRecord(line)
		if err != nil || rec.Seq != seq+1 {
			return errFollow
		}
		seq = rec.Seq
		records = append(records, rec)
	}
	if seq != m.Done {
		return errFollow
	}
	for _, rec := range records {
		if !p.fitting(rec) {
			return errFollow
		}
		p.followRecord(rec)
	}
	p.mark = m
	p.gen.Store(m.Gen)
	p.publish()
	if changed := p.opts.Hooks.Changed; changed != nil {
		for _, rec := range records {
			changed(rec.steps())
		}
	}
	return nil
}

// fitting reports whether a record's steps continue the state.
func (p *Provider) fitting(rec *record) bool {
	here := map[string]bool{}
	for _, s := range rec.Steps {
		if s.Before != nil {
			live, touched := here[s.Before.ID]
			if touched && !live || !touched && p.state.ByID(s.Before.ID) == nil {
				return false
			}
			here[s.Before.ID] = false
		}
		if s.After != nil {
			here[s.After.ID] = true
		}
	}
	return true
}

func (p *Provider) followRecord(rec *record) {
	ch := memory.Change{IdempotencyKey: rec.IdempotencyKey, Digest: rec.Digest}
	res := p.state.Commit(memory.Change{}, rec.steps(), rec.Seq)
	p.remembered(ch, res)
	for _, s := range rec.Steps {
		p.dirty[s.File] = rec.Seq
		p.track(s.Before, s.After)
		if s.From != "" {
			p.remember(s.From, nil)
		}
		if s.After == nil {
			p.remember(s.File, nil)
			delete(p.names, s.Before.ID)
			continue
		}
		p.remember(s.File, &known{id: s.After.ID, says: s.named(), hash: s.Hash})
		p.names[s.After.ID] = s.File
	}
}

// followWAL goes to where another process left the redo log.
func (p *Provider) followWAL(m mark) error {
	there, err := p.fs.Lstat(walName)
	if err != nil {
		return err
	}
	mine, err := p.wal.f.Stat()
	if err != nil {
		return err
	}
	if there.Inode != mine.Inode {
		return errFollow
	}
	if m.Epoch != p.wal.head.Epoch {
		if err := p.wal.refresh(); err != nil {
			return err
		}
		for name, seq := range p.dirty {
			if seq <= p.wal.head.Base {
				delete(p.dirty, name)
			}
		}
	}
	if m.Epoch != p.wal.head.Epoch {
		return errFollow
	}
	p.wal.pos, p.wal.last = m.WALPos, m.Done
	return nil
}
