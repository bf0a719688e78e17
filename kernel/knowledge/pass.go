package knowledge

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

const (
	slice   = 32  // sections that are indexed before a search may go on
	flushed = 200 // documents between two flushes
	named   = 3   // documents that could not be read and are named
)

// pass is one look at all collections.
type pass struct {
	*Library
	rows    []config.KnowledgeRow
	found   []found         // by row
	paths   map[string]bool // of all documents
	anew    bool            // all is read
	changed int             // documents since the last flush
}

// look brings the index in step with the documents.
func (l *Library) look(ctx context.Context) (err error) {
	p := &pass{Library: l, rows: l.opts.Rows(), paths: map[string]bool{}}
	defer func() { p.tell(err) }()
	if err := p.open(); err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, row := range p.rows {
		f := find(row, l.opts.Home)
		f.documents = slices.DeleteFunc(f.documents, func(d *document) bool { return p.paths[d.path()] })
		for _, d := range f.documents {
			p.paths[d.path()], ids[d.id()] = true, true
		}
		p.found = append(p.found, f)
	}
	if l.borrowed || l.index == nil {
		return nil
	}
	p.tell(nil)
	gone := slices.DeleteFunc(l.index.UUIDs(), func(id string) bool { return ids[id] })
	for i := range p.found {
		if err := p.read(ctx, &p.found[i]); err != nil {
			return err
		}
	}
	if err = p.flush(); err == nil {
		err = l.index.Remove(gone...)
	}
	if l.index.Damaged() && !p.anew {
		l.Refresh(true)
	}
	return err
}

// open opens the index, an empty one where that is wanted. Where another program keeps
// it, it is read as that one flushed it last.
func (p *pass) open() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.anew, p.Library.anew = p.Library.anew || len(p.rows) == 0 || p.index != nil && p.index.Damaged(), false
	if p.index != nil && (p.anew || p.borrowed) {
		_ = p.index.Close() // a search in it fails, and can be tried again
		p.index = nil
	}
	if _, err := os.Stat(p.opts.Dir); p.index != nil || err != nil && len(p.rows) == 0 {
		return nil
	}
	t := &texts{}
	index, err := p.openIndex(t)
	if err == nil && p.anew && !p.borrowed {
		if err = errors.Join(index.Close(), os.RemoveAll(p.opts.Dir)); err != nil || len(p.rows) == 0 {
			return err
		}
		index, err = p.openIndex(t)
	}
	if err != nil {
		return err
	}
	how := os.O_RDWR | os.O_CREATE
	if p.borrowed {
		how = os.O_RDONLY
	}
	if t.file, err = os.OpenFile(filepath.Join(p.opts.Dir, "sections.jsonl"), how, 0o600); err == nil {
		t.size, err = t.file.Seek(0, io.SeekEnd)
	}
	if err != nil {
		return errors.Join(err, index.Close())
	}
	p.index, p.texts = index, t
	return nil
}

func (p *pass) openIndex(t *texts) (*recall.Conversations, error) {
	opts := recall.ConversationOptions{Source: recall.SourceKnowledge}
	index, err := recall.OpenConversations(p.opts.Dir, t, opts)
	if p.borrowed = errors.Is(err, recall.ErrLocked); p.borrowed {
		opts.ReadOnly = true
		return recall.OpenConversations(p.opts.Dir, t, opts)
	}
	return index, err
}

// read takes in the documents of a collection that the index does not have.
func (p *pass) read(ctx context.Context, f *found) error {
	failed := 0
	for _, d := range f.documents {
		if p.index.Has(d.id()) {
			continue
		}
		err := p.take(ctx, d)
		switch {
		case err != nil && (ctx.Err() != nil || memory.KindOf(err) == memory.KindUnavailable):
			return err
		case err != nil:
			if failed++; failed <= named {
				f.problems = append(f.problems, fmt.Sprintf("%s is not read: %v", p.opts.Name("", d.path()), err))
			}
			continue
		}
		if p.changed++; p.changed >= flushed {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	f.say(failed-named, "more documents are not read")
	return nil
}

// take reads a document and indexes it.
func (p *pass) take(ctx context.Context, d *document) error {
	if p.opts.Name("", d.path()) != d.path() {
		return errors.New("its name is what the scanner does not let be stored")
	}
	list, err := d.sections(p.paths, func(text string) (string, error) {
		if d.packaged {
			return text, nil
		}
		clean, _, err := p.opts.Redact(ctx, text)
		return clean, err
	})
	if err != nil {
		return err
	}
	turns, err := p.texts.add(d, list)
	if err != nil {
		return err
	}
	c := process.Conversation{UUID: d.id(), Title: d.page, Agent: manual, Start: d.changed}
	if d.page == "" {
		c.Title, c.Agent = title(list, path.Base(d.rel)), ""
	}
	for {
		n := min(slice, len(turns))
		if err := p.index.Add(ctx, c, turns[:n]); err != nil || n == len(turns) {
			return err
		}
		turns = turns[n:]
	}
}

// title is the first heading, or else the name of the file.
func title(list []Section, name string) string {
	if i := slices.IndexFunc(list, func(s Section) bool { return s.Heading != "" }); i >= 0 {
		return list[i].Heading
	}
	return name
}

func (p *pass) flush() error {
	p.changed = 0
	return errors.Join(p.texts.file.Sync(), p.index.Flush())
}

// tell notes what the index has of each collection, and what is wrong.
func (p *pass) tell(failed error) {
	state := []Collection{}
	for i, f := range p.found {
		c := Collection{Name: p.rows[i].Name(), Read: time.Now().UTC().Truncate(time.Second), Problems: slices.Clone(f.problems)}
		for _, d := range f.documents {
			c.Bytes += d.size
			if p.index != nil && p.index.Has(d.id()) {
				n, _ := p.index.Held(d.id())
				c.Documents, c.Sections = c.Documents+1, c.Sections+n
			}
		}
		if p.borrowed {
			c.Problems = append(c.Problems, "another program keeps the index, and reads what has changed")
		}
		if failed != nil {
			c.Problems = append(c.Problems, "not all of it was read: "+failed.Error())
		}
		state = append(state, c)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state = state
}
