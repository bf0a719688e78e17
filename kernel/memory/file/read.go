package file

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// readView is a folder as its files show it, with nothing written.
type readView struct {
	view memory.View // expired entries included
	problems
}

// readFolder reads the entries of a folder. What the journal does not know is
// judged; what is refused is left out, and told as a problem.
func readFolder(ctx context.Context, d *dir, opts Options) (*readView, error) {
	r := &readView{}
	x := r.journal(ctx, d)
	f := openFolder{opts: opts, unknown: x.last == 0}
	names, err := d.entryNames()
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	ids, keys := map[string]bool{}, map[string]bool{}
	var entries []*memory.Entry
	for _, name := range names {
		e := loadFile(d, name, x.files[name]).entry
		if e == nil {
			if e = r.byHand(ctx, d, name, &f); e == nil {
				continue
			}
			e.Source = f.author()
		}
		if ids[e.ID] {
			e.ID = derivedID(name)
		}
		for n, key := 2, e.Key; keys[e.Key]; n++ {
			e.Key = key + "-" + strconv.Itoa(n)
		}
		ids[e.ID], keys[e.Key] = true, true
		entries = append(entries, e)
		r.view.Entries, r.view.Used, r.view.Count = entries, r.view.Used+e.Runes(), r.view.Count+1
	}
	slices.SortFunc(entries, byCreation)
	r.view = memory.NewState(entries, x.last).View()
	return r, nil
}

// journal reads the journal as far as it can be read.
func (r *readView) journal(ctx context.Context, d *dir) *journalIndex {
	f, err := d.Open(journalName, unix.O_RDONLY, 0)
	if err != nil {
		return &journalIndex{}
	}
	x, err := indexFile(ctx, d.key(), f, math.MaxInt64)
	if err = errors.Join(err, f.Close()); err != nil {
		r.add(journalName, "unreadable", err.Error(), "let this user read it")
		return &journalIndex{}
	}
	return x
}

// byHand is the entry of a file that somebody wrote; nil where it is refused.
func (r *readView) byHand(ctx context.Context, d *dir, name string, f *openFolder) *memory.Entry {
	data, info, err := d.read(name)
	var e *memory.Entry
	if err == nil && len(data) > 0 {
		e, err = decode(data)
		if admit := f.opts.Hooks.Admit; err == nil && exceeds(f.limit(), r.view, e) {
			err = overLimit(name)
		} else if err == nil && admit != nil {
			err = admit(ctx, withUnread(e, data))
		}
	}
	var not errNotEntry
	switch {
	case errors.As(err, &not):
		r.add(name, not.problem.Code, not.problem.Reason, cmp.Or(not.problem.Mend, "make it a readable text file"))
		return nil
	case err != nil:
		reason := err.Error()
		if refused, ok := errors.AsType[*memory.Error](err); ok {
			reason = refused.Reason()
		}
		r.add(name, "rejected", reason, "mend the text")
		return nil
	case e == nil:
		return nil // an empty file is no entry
	}
	complete(e, name, info.ModTime)
	if e.ID == "" {
		e.ID = derivedID(name)
	}
	return e
}

// signature is which files the folder has. It changes when they do.
func signature(d *dir) map[string]Info {
	names, err := d.list(".", func(name string) bool { return isEntryName(name) || name == journalName })
	if err != nil {
		return nil
	}
	files := map[string]Info{}
	for _, name := range names {
		if info, err := d.Lstat(name); err == nil {
			files[name] = info
		}
	}
	return files
}
