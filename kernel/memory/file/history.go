package file

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// History implements memory.Provider. It reads the journal as a stream, twice
// when the entry is not named by its id.
func (p *Provider) History(ctx context.Context, m memory.Match) ([]memory.Record, error) {
	if err := p.refresh(ctx); err != nil {
		return nil, wrap("history", err)
	}
	id, err := p.historyID(ctx, m)
	if err != nil {
		return nil, err
	}
	var out []memory.Record
	err = p.eachRecord(ctx, []byte(id), func(r *record) {
		for _, s := range r.Steps {
			if s.Before != nil && s.Before.ID == id || s.After != nil && s.After.ID == id {
				out = append(out, memory.Record{
					Sequence: r.Seq, Time: r.Time, Action: s.Action, Actor: r.Actor, ID: id, Before: s.Before, After: s.After,
				})
			}
		}
	})
	if err != nil {
		return nil, wrap("history", err)
	}
	if len(out) == 0 {
		for _, e := range p.published.Load().view.Entries {
			if e.ID == id {
				return nil, nil // older than the journal
			}
		}
		return nil, memory.NotFound("history", m)
	}
	return out, nil
}

// wasKnown reports whether the journal has an entry with an id. ex is held.
func (p *Provider) wasKnown(id string) bool {
	in := bufio.NewReaderSize(io.NewSectionReader(p.journal, 0, p.mark.Journal), 64<<10)
	holding := []byte(`"id":"` + id + `"`) // quotes in a text are escaped
	for {
		line, err := in.ReadBytes('\n')
		if bytes.Contains(line, holding) {
			return true
		}
		if err != nil {
			return false
		}
	}
}

// historyID finds the id of the entry that has, or last had, a key or content.
func (p *Provider) historyID(ctx context.Context, m memory.Match) (string, error) {
	if m.ID != "" {
		return m.ID, nil
	}
	matches := func(e *memory.Entry) bool {
		return e != nil && (m.Key != "" && e.Key == m.Key || m.Key == "" && e.Content == m.Content)
	}
	id := ""
	for _, e := range p.published.Load().view.Entries {
		if matches(e) {
			if id != "" {
				return "", memory.Errorf(memory.KindInvalid, "history", "several entries have this content; name one by its id")
			}
			id = e.ID
		}
	}
	if id != "" {
		return id, nil
	}
	err := p.eachRecord(ctx, nil, func(r *record) {
		for _, s := range r.Steps {
			for _, e := range []*memory.Entry{s.Before, s.After} {
				if matches(e) {
					id = e.ID
				}
			}
		}
	})
	if err != nil {
		return "", wrap("history", err)
	}
	if id == "" {
		return "", memory.NotFound("history", m)
	}
	return id, nil
}

// eachRecord calls fn for the journal's records whose line holds some bytes.
func (p *Provider) eachRecord(ctx context.Context, holding []byte, fn func(*record)) error {
	p.fsMu.RLock()
	defer p.fsMu.RUnlock()
	if p.fsClosed {
		return errClosed
	}
	f, err := p.fs.Open(journalName, unix.O_RDONLY, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(f, 0, 1<<62), 64<<10)
	last := p.published.Load().view.Sequence
	for err == nil {
		var line []byte
		line, err = in.ReadBytes('\n')
		if err == nil && ctx.Err() != nil {
			err = ctx.Err()
		}
		if err != nil || !bytes.Contains(line, holding) {
			continue
		}
		if r, bad := parseRecord(line); bad == nil && r.Seq <= last {
			fn(r)
		}
	}
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return errors.Join(err, f.Close())
}
