package file

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"reflect"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// byHand is the actor of edits: whoever can write the folder's files is trusted
// as its owner is.
var byHand = memory.Source{Trust: memory.TrustHuman, Road: "edit"}

// found is the actor of what became of files by changes that the journal lost:
// who made them is not known.
var found = memory.Source{Road: "recovery"}

// errNotEntry is a file that stays where it is: it can't be read, or is none.
type errNotEntry struct {
	problem memory.Problem
	fault   error // of a disk in trouble, which may be over in a moment
}

func (e errNotEntry) Error() string { return e.problem.Reason }

func notEntry(name, code, reason string) error {
	return errNotEntry{problem: memory.Problem{Path: name, Code: code, Reason: reason}}
}

func unreadable(name string, err error) error {
	e := errNotEntry{problem: memory.Problem{Path: name, Code: "unreadable", Reason: err.Error()}}
	if isDiskFault(err) {
		e.fault = err
	}
	return e
}

// readEntry reads an entry's file and what it was when it was read.
func (p *Provider) readEntry(name string) ([]byte, Info, error) {
	f, err := p.fs.Open(name, unix.O_RDONLY, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, Info{}, err
	case errors.Is(err, unix.ELOOP):
		return nil, Info{}, notEntry(name, "symlink", "symbolic links are not followed")
	case err != nil:
		return nil, Info{}, unreadable(name, err)
	}
	data, info, err := readAll(f)
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err != nil:
		return nil, info, unreadable(name, err)
	case !info.Regular:
		return nil, info, notEntry(name, "not_regular", "not a regular file")
	case info.Size > maxFile:
		return nil, info, notEntry(name, "too_big", fmt.Sprintf("larger than %d bytes", maxFile))
	}
	return data, info, nil
}

// readAll reads a regular file of a bearable size. One that changes meanwhile
// gives an Info that the next look will not match.
func readAll(f File) ([]byte, Info, error) {
	info, err := f.Stat()
	if err != nil || !info.Regular || info.Size > maxFile {
		return nil, info, err
	}
	data, err := readSize(f, info.Size)
	return data, info, err
}

// readSize reads a file from its beginning; less where it has become shorter.
func readSize(f File, size int64) ([]byte, error) {
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// takeIn makes the batch, or the folder, agree with a file: an edit is planned, a
// refused one set aside. An error is one of writing, or errEdited.
func (b *batch) takeIn(ctx context.Context, f *sighting, at time.Time) error {
	p := b.p
	if f.legacy {
		return b.importLegacy(ctx, f.name, f.data)
	}
	k := p.files[f.name]
	alive := p.state.ByID(f.id) != nil
	if k != nil && k.id == f.id && f.same && alive {
		p.remember(f.name, f.known(f.id))
		return nil
	}
	if f.err != nil {
		return b.refuse(ctx, f, f.err, at)
	}
	e := f.entry
	if strings.TrimSpace(e.Content) == "" {
		return b.refuse(ctx, f, errors.New("an entry without content"), at)
	}
	judged := withUnread(e, f.data)
	e.ID = f.id
	ours := p.salvaged && p.written(e, f.data)
	if alive && !ours && sameEntry(p.state.ByID(f.id), e) && p.names[f.id] == f.name {
		p.remember(f.name, f.known(f.id))
		return nil
	}
	actor := byHand
	if ours {
		actor = found // and the source stays
	} else {
		e.Source = byHand
	}
	if admit := p.opts.Hooks.Admit; admit != nil {
		if err := admit(ctx, judged); err != nil {
			return b.refuse(ctx, f, err, at)
		}
	}
	_, err := b.addEdit(f, actor, at)
	var edited errEdited
	if err != nil && !errors.As(err, &edited) && memory.KindOf(err) != memory.KindInternal {
		return b.refuse(ctx, f, err, at)
	}
	return err
}

func (b *batch) addEdit(f *sighting, actor memory.Source, at time.Time) (memory.Result, error) {
	res, err := b.add(memory.Change{
		Ops: []memory.Op{{Action: memory.ActionEdit, Entry: *f.entry}}, Limit: b.p.limit(), Actor: actor, At: at,
	}, &f.handEdit)
	f.taken = f.taken || err == nil
	return res, err
}

// takeOutByHand plans the removal of an entry that no file is any more.
func (b *batch) takeOutByHand(name string, at time.Time) error {
	k := b.p.files[name]
	if b.p.state.ByID(k.id) == nil {
		return nil // its time was over
	}
	actor := byHand
	if b.p.salvaged {
		actor = found
	}
	_, err := b.add(memory.Change{
		Ops:   []memory.Op{{Action: memory.ActionRemove, Match: memory.Match{ID: k.id}}},
		Limit: b.p.limit(), Actor: actor, At: at,
	}, &handEdit{name: name, gone: true})
	return err
}

// written reports whether a file is as this package writes it, and of a change
// that came after what the journal tells of the entry: no edit by hand.
func (p *Provider) written(e *memory.Entry, data []byte) bool {
	if old := p.state.ByID(e.ID); old != nil && e.Revision <= old.Revision {
		return false
	}
	own, err := encode(e)
	return err == nil && bytes.Equal(own, data)
}

func (p *Provider) limit() memory.Limit {
	if p.opts.Hooks.Limit == nil || p.lenient {
		return memory.Limit{Runes: math.MaxInt, Overflow: memory.OverflowError}
	}
	return p.opts.Hooks.Limit()
}

// sameEntry reports whether a file says nothing that the entry is not already.
// What the kernel stamps (times of change, revision, source) is not the file's
// to say.
func sameEntry(a, b *memory.Entry) bool {
	return a.ID == b.ID && a.Key == b.Key && a.Category == b.Category && a.Type == b.Type &&
		a.Importance == b.Importance && a.Pinned == b.Pinned && a.Content == b.Content &&
		a.Created.Equal(b.Created) && sameTime(a.Expires, b.Expires) &&
		sameList(a.Tags, b.Tags) && sameMap(a.Metadata, b.Metadata) && sameMap(a.Extra, b.Extra)
}

func sameTime(a, b *time.Time) bool {
	return a == nil && b == nil || a != nil && b != nil && a.Equal(*b)
}

func sameList(a, b []string) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

func sameMap(a, b map[string]any) bool {
	return len(a) == 0 && len(b) == 0 || reflect.DeepEqual(a, b)
}

// withUnread is the entry with what else stands in its file and stays there: the
// front matter's comments, the id, and a source that is not believed. A secret
// there is as readable as one in the text.
func withUnread(e *memory.Entry, data []byte) *memory.Entry {
	matter, _, _, ok := split(data)
	if !ok {
		return e
	}
	judged := e.Clone()
	if judged.Extra == nil {
		judged.Extra = map[string]any{}
	}
	var comments []string
	for line := range strings.Lines(string(matter)) {
		if _, comment, ok := strings.Cut(line, "#"); ok {
			comments = append(comments, strings.TrimSpace(comment))
		}
	}
	src := e.Source
	judged.Extra["comments"] = strings.Join(comments, "\n")
	judged.Extra["of source"] = append([]string{e.ID, src.Exe, src.Session, src.Cgroup, src.Process, src.Job}, src.Turns...)
	return judged
}
