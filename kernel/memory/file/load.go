package file

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// reload reads the whole folder: at open, after another process's crash, and
// when the journal is not the one we knew.
func (f *openFolder) reload(ctx context.Context) error {
	if err := errors.Join(f.logs.close(), f.dir.loadKey(f.opts)); err != nil {
		return err
	}
	f.forget()
	at, err := readPosition(f.dir.key(), f.logs.lock.file)
	if err != nil {
		return err
	}
	r := &logRecovery{f: f, at: at}
	if err := r.run(ctx); err != nil {
		return err
	}
	differing, err := f.load(r.index, r.seq)
	if err != nil {
		return err
	}
	if err := f.logs.resume(r.redo); err != nil {
		return err
	}
	f.opening, f.unknown, f.anew = true, r.lost, r.anew
	err = f.reconcile(ctx, differing)
	if err == nil && r.anew { // files that changed names among themselves
		err = f.reconcileAll(ctx)
	}
	f.opening, f.unknown, f.anew = false, false, false
	if err != nil {
		return err
	}
	f.publish()
	if opened := f.opts.Hooks.Opened; opened != nil {
		opened(f.published.Load().Entries)
	}
	return nil
}

// load fills the state with the entries that are as the journal knows them, and
// returns the names of files that it knows otherwise or not at all.
func (f *openFolder) load(index *journalIndex, seq int64) ([]string, error) {
	names, err := f.dir.entryNames()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	files := make([]loadedFile, len(names))
	each(len(names), processors(), func(i int) { files[i] = loadFile(f.dir, names[i], index.files[names[i]]) })
	l := loader{catalog: f.catalog, index: index, ids: map[string]bool{}, keys: map[string]bool{}, seen: map[string]bool{}}
	for _, file := range files {
		l.takeFile(file)
	}
	for _, name := range slices.Sorted(maps.Keys(index.files)) {
		if !l.seen[name] {
			l.expect(name)
		}
	}
	slices.SortFunc(l.entries, byCreation)
	f.state = memory.NewState(l.entries, seq)
	for _, r := range index.keyed[max(0, len(index.keyed)-replaysAtOpen):] {
		f.state.Remember(r.IdempotencyKey, r.Digest, r.result())
	}
	return l.pending, nil
}

func byCreation(a, b *memory.Entry) int {
	if c := a.Created.Compare(b.Created); c != 0 {
		return c
	}
	return strings.Compare(a.ID, b.ID)
}

type loadedFile struct {
	known
	name  string
	entry *memory.Entry // nil when the journal does not know these bytes
	err   error
	doubt bool // the journal knows these bytes by another text
}

// loadFile reads a file and compares it with what the journal has of it.
func loadFile(d *dir, name string, s *recordStep) loadedFile {
	f := loadedFile{name: name}
	data, info, err := d.read(name)
	f.info, f.err = info, err
	if err != nil {
		return f
	}
	f.hash = hashOf(data)
	if s == nil || s.Hash != f.hash {
		return f
	}
	if own, err := encode(s.After); err == nil && hashOf(own) == f.hash { // as it is for all but edits by hand
		f.entry, f.says = s.After, s.After.ID
		return f
	}
	e, err := decode(data)
	switch {
	case s.Action == memory.ActionEdit:
		f.entry = s.After
		if err == nil {
			f.says = e.ID
			f.doubt = e.Content != s.After.Content
		}
		if f.doubt {
			f.entry = nil
		}
	case err == nil && e.ID != "":
		complete(e, name, info.ModTime)
		f.entry, f.says = e, e.ID
	}
	return f
}

// loader builds the first state.
type loader struct {
	catalog   *catalog
	index     *journalIndex
	ids, keys map[string]bool
	seen      map[string]bool
	entries   []*memory.Entry
	pending   []string // to be reconciled
}

func (l *loader) takeFile(f loadedFile) {
	l.seen[f.name] = true
	if not, ok := errors.AsType[errNotEntry](f.err); ok {
		l.catalog.blocked[f.name] = not.problem
		l.expect(f.name)
		return
	}
	if f.entry == nil || !l.take(f.name, f.entry, f.known) {
		if !f.doubt {
			l.expect(f.name)
		}
		l.pending = append(l.pending, f.name)
	}
}

// expect puts in the entry that a file should hold, by the journal. The file is
// to be reconciled: it was edited, renamed or removed.
func (l *loader) expect(name string) {
	s := l.index.files[name]
	if s == nil {
		return
	}
	l.take(name, s.After, known{says: s.named(), hash: s.Hash})
	if _, blocked := l.catalog.blocked[name]; !blocked && !l.seen[name] {
		l.pending = append(l.pending, name)
	}
}

func (l *loader) take(name string, e *memory.Entry, k known) bool {
	if l.ids[e.ID] || l.keys[e.Key] {
		return false
	}
	l.ids[e.ID], l.keys[e.Key] = true, true
	k.id = e.ID
	l.entries = append(l.entries, e)
	l.catalog.files[name] = &k
	l.catalog.names[e.ID] = name
	return true
}
