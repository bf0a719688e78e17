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
	data := make([]byte, info.Size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], info, err
}

// takeIn looks at one file and makes the batch, or the folder, agree with it:
// an edit is planned, a refused one set aside. An error is one of writing.
func (b *batch) takeIn(ctx context.Context, name string) error {
	p := b.p
	k := p.files[name]
	if b.ops[name] != nil {
		return nil // written by this very batch; the swap looks again
	}
	data, info, err := p.readEntry(name)
	var not errNotEntry
	switch {
	case errors.Is(err, os.ErrNotExist):
		delete(p.blocked, name)
		return b.takeOutByHand(name, k)
	case errors.As(err, &not):
		p.blocked[name] = not.problem
		return nil
	case err != nil:
		return err
	}
	delete(p.blocked, name)
	hash := hashOf(data)
	if k != nil && k.hash == hash {
		p.remember(name, &known{id: k.id, hash: hash, info: info})
		return nil
	}
	if len(data) == 0 { // touched, or about to be written
		p.blocked[name] = memory.Problem{Path: name, Code: "empty", Reason: "an empty file is no entry"}
		return nil
	}
	return b.takeInText(ctx, name, data, handEdit{name: name, hash: hash, info: info})
}

func (b *batch) takeInText(ctx context.Context, name string, data []byte, edit handEdit) error {
	p := b.p
	if p.files[name] == nil && isLegacy(name, data) {
		return b.importLegacy(ctx, name, data)
	}
	e, err := decode(data)
	if errors.Is(err, errNotText) {
		p.blocked[name] = memory.Problem{Path: name, Code: "not_text", Reason: err.Error()}
		return nil
	}
	if err != nil {
		return p.refuse(ctx, edit, data, err)
	}
	complete(e, name, time.Unix(0, edit.info.ModTime))
	if strings.TrimSpace(e.Content) == "" {
		return p.refuse(ctx, edit, data, errors.New("an entry without content"))
	}
	if k := p.files[name]; k != nil && p.salvaged && p.succeeds(e, k, data) {
		if err := b.takeOutByHand(name, k); err != nil {
			return err
		}
	}
	b.identify(e, name)
	ours := p.salvaged && p.written(e, data)
	if old := p.state.ByID(e.ID); old != nil && !ours && sameEntry(old, e) && p.names[e.ID] == name {
		p.remember(name, &known{id: e.ID, hash: edit.hash, info: edit.info})
		return nil
	}
	judged := withUnread(e, data)
	actor := byHand
	if ours {
		actor = found // and the source stays
	} else {
		e.Source = byHand
	}
	if admit := p.opts.Hooks.Admit; admit != nil {
		if err := admit(ctx, judged); err != nil {
			return p.refuse(ctx, edit, data, err)
		}
	}
	_, err = b.add(memory.Change{
		Ops: []memory.Op{{Action: memory.ActionEdit, Entry: *e}}, Limit: p.limit(), Actor: actor, At: p.opts.Clock(),
	}, &edit)
	var edited errEdited
	switch {
	case errors.As(err, &edited): // an expired entry's file: after the next look
		return nil
	case err != nil && memory.KindOf(err) != memory.KindInternal:
		return p.refuse(ctx, edit, data, err)
	}
	return err
}

// identify says which entry a file is: the one that it was, the one it names if
// that one's file is gone (it was renamed), or a new one.
func (b *batch) identify(e *memory.Entry, name string) {
	p := b.p
	if k := p.files[name]; k != nil && p.state.ByID(k.id) != nil {
		e.ID = k.id
		return
	}
	free := func(id string) bool {
		at, ok := b.nameOf(id)
		if !ok {
			return p.state.ByID(id) == nil
		}
		return b.ops[at] == nil && p.left(id, at)
	}
	for _, id := range []string{e.ID, derivedID(name)} {
		if id != "" && free(id) {
			e.ID = id
			return
		}
	}
	e.ID = p.opts.NewID()
}

// left reports whether an entry is no more in the file it was in.
func (p *Provider) left(id, name string) bool {
	_, err := p.fs.Lstat(name)
	return errors.Is(err, os.ErrNotExist) || p.salvaged && p.idIn(name) != id
}

// takeOutByHand plans the removal of an entry whose file is gone.
func (b *batch) takeOutByHand(name string, k *known) error {
	if k == nil || b.p.state.ByID(k.id) == nil {
		return nil
	}
	if at, _ := b.nameOf(k.id); at != name {
		return nil // it was renamed
	}
	actor := byHand
	if b.p.salvaged {
		actor = found
	}
	_, err := b.add(memory.Change{
		Ops:   []memory.Op{{Action: memory.ActionRemove, Match: memory.Match{ID: k.id}}},
		Limit: b.p.limit(), Actor: actor, At: b.p.opts.Clock(),
	}, &handEdit{name: name, gone: true})
	var edited errEdited
	if errors.As(err, &edited) {
		return nil
	}
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

// succeeds reports whether a file is one of this package's of another entry than
// the journal tells of: what is lost removed that one and made this one.
func (p *Provider) succeeds(e *memory.Entry, k *known, data []byte) bool {
	if e.ID == "" || e.ID == k.id || !p.written(e, data) {
		return false
	}
	return p.state.ByID(e.ID) == nil || p.left(e.ID, p.names[e.ID])
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
