package file

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// maxEdits is how many edits by hand a change, or a look at the files, follows
// before it gives up.
const maxEdits = 8

// reconcile takes in, as one batch, what was done by hand to the files with these
// names, and to those that have to do with it. The state is caught up.
func (f *openFolder) reconcile(ctx context.Context, names []string) error {
	if len(names) == 0 {
		return nil
	}
	for range maxEdits {
		err := f.reconcileOnce(ctx, names)
		edited, ok := errors.AsType[errEdited](err)
		if !ok {
			return err
		}
		names = append(slices.Clone(names), edited.name)
	}
	return nil // somebody is writing them: the next look is at that
}

// reconcileAll reconciles whatever is not as it is known.
func (f *openFolder) reconcileAll(ctx context.Context) error {
	names, err := f.catalog.allDiffering()
	if err != nil {
		return err
	}
	return f.reconcile(ctx, names)
}

func (f *openFolder) reconcileOnce(ctx context.Context, names []string) error {
	s, err := f.observe(ctx, names)
	if err != nil {
		return err
	}
	b := f.newBatch()
	for name, o := range s.files {
		b.changed[name] = !o.same
	}
	r := &reconciliation{openFolder: f, batch: b, ctx: ctx, at: f.opts.Clock(), seen: s}
	r.limit = r.bound()
	if err := r.plan(s); err != nil {
		b.undo()
		return err
	}
	if err := b.commit(); err != nil {
		return err
	}
	r.keepImported()
	r.aside.tidy()
	return nil
}

// reconciliation is a batch that makes the state, or the folder, agree with files.
type reconciliation struct {
	*openFolder
	batch    *batch
	ctx      context.Context
	at       time.Time
	seen     *observed
	limit    memory.Limit   // asked once: there may be many files
	imported []*observation // legacy files, taken in when the batch is durable
}

// plan goes through what was observed: first what goes, which makes room and
// names, then what stays, then what comes.
func (r *reconciliation) plan(s *observed) error {
	if err := r.expire(); err != nil {
		return err
	}
	for _, name := range s.lost {
		if err := r.takeOut(name); err != nil {
			return err
		}
	}
	files := s.present()
	rank := func(o *observation) int {
		old := r.state.ByID(o.id)
		switch {
		case o.legacy || o.entry != nil && r.ended(o.entry):
			return 3
		case old == nil:
			return 2
		case o.entry != nil && o.entry.Runes() > old.Runes():
			return 1
		}
		return 0
	}
	slices.SortFunc(files, func(x, y *observation) int {
		return cmp.Or(cmp.Compare(rank(x), rank(y)), cmp.Compare(x.info.ModTime, y.info.ModTime), cmp.Compare(x.name, y.name))
	})
	for _, o := range files {
		if err := errors.Join(r.ctx.Err(), r.takeIn(o)); err != nil {
			return err
		}
	}
	return r.rekey(files)
}

// expire lets entries go whose time is over, but for those to whose files a person did
// something: that is a change, too.
func (r *reconciliation) expire() error {
	_, err := r.batch.add(memory.Change{Limit: r.limit, Actor: byHand, At: r.at}, &handEdit{})
	return err
}

func (r *reconciliation) ended(e *memory.Entry) bool { return r.limit.Fate(e, r.at) == memory.Gone }

// bound is what edits are measured by. An entry to whose file a person did something does
// not end meanwhile.
func (r *reconciliation) bound() memory.Limit {
	l := r.openFolder.limit()
	l.Spare = func(id string) bool {
		name, _ := r.batch.nameOf(id) // a new file's is not in the catalog yet
		return r.batch.changed[name]
	}
	return l
}

// takeOut plans the removal of an entry that no file is any more.
func (r *reconciliation) takeOut(name string) error {
	k := r.catalog.files[name]
	if !r.alive(k.id) {
		return nil // its time was over
	}
	_, err := r.batch.add(memory.Change{
		Ops:   []memory.Op{{Action: memory.ActionRemove, Match: memory.Match{ID: k.id}}},
		Limit: r.limit, Actor: r.author(), At: r.at,
	}, &handEdit{name: name, gone: true})
	return err
}

// takeIn makes the batch, or the folder, agree with a file: an edit is planned, a
// refused one set aside. An error is one of writing, or errEdited.
func (r *reconciliation) takeIn(o *observation) error {
	if o.legacy {
		return r.importLegacy(o)
	}
	c := r.catalog
	k := c.files[o.name]
	alive := r.alive(o.id)
	if k != nil && k.id == o.id && o.same && alive {
		c.files[o.name] = o.known(o.id)
		return nil
	}
	if o.err != nil {
		return r.refuse(o, o.err)
	}
	e := o.entry
	if strings.TrimSpace(e.Content) == "" {
		return r.refuse(o, errors.New("an entry without content"))
	}
	if old := r.state.ByID(o.id); (old == nil || !strings.Contains(old.Content, maskSign)) && r.aside.stillMasked(o.name, o.data) {
		return r.refuse(o, errMask)
	}
	judged := withUnread(e, o.data)
	e.ID = o.id
	if alive && !(r.anew && r.written(e, o.data)) && saysSame(r.state.ByID(o.id), e) && c.names[o.id] == o.name {
		c.files[o.name] = o.known(o.id)
		return nil
	}
	if !alive && exceeds(r.limit, r.state.View(), e) {
		c.blocked[o.name] = overLimit(o.name).problem
		return nil
	}
	e.Source = r.author()
	if admit := r.opts.Hooks.Admit; admit != nil {
		if err := admit(r.ctx, judged); err != nil {
			return r.refuse(o, err)
		}
	}
	err := r.planEdit(o)
	if err != nil && !errors.As(err, new(errEdited)) && memory.KindOf(err) != memory.KindInternal {
		return r.refuse(o, err)
	}
	return err
}

var errMask = memory.Errorf(memory.KindInvalid, "edit", "a mask, [redacted:...], is still in the text; put other words in its place, or none")

// maxFound bounds what is taken in of files, whatever the limit is.
const maxFound = 32 << 20

// exceeds reports whether a limit has no room for a new entry.
func exceeds(limit memory.Limit, now memory.View, e *memory.Entry) bool {
	return e.Runes() > min(limit.Runes, maxFound)-now.Used || limit.Entries > 0 && now.Count >= limit.Entries
}

// overLimit is the problem of a file that stays where it is, unread, until there is
// room for its entry.
func overLimit(name string) errNotEntry {
	e := notEntry(name, "over_limit", "not read: the memory is full")
	e.problem.Mend = "make room, or raise the limit; then " + runRepair
	return e
}

func (r *reconciliation) planEdit(o *observation) error {
	_, err := r.batch.add(memory.Change{
		Ops: []memory.Op{{Action: memory.ActionEdit, Entry: *o.entry}}, Limit: r.limit, Actor: r.author(), At: r.at,
	}, &o.handEdit)
	o.taken = o.taken || err == nil
	return err
}

// rekey gives files the keys that they ask for where only another file's old key
// was in the way.
func (r *reconciliation) rekey(files []*observation) error {
	for _, o := range files {
		e := r.state.ByID(o.id)
		if !o.taken || e == nil || e.Key == o.entry.Key || r.state.ByKey(o.entry.Key) != nil {
			continue
		}
		if err := r.planEdit(o); err != nil {
			return err
		}
	}
	return nil
}

// refuse sets an edit aside and puts the last good version of its entry in its
// place. The file is touched only while it still is the one that was read.
func (r *reconciliation) refuse(o *observation, why error) error {
	tell, err := r.aside.setAside(r.ctx, o.name, o.data, why)
	if err != nil {
		return fmt.Errorf("set aside: %w", err)
	}
	defer tell()
	e := r.state.ByID(o.id)
	if e == nil {
		err := r.dir.takeAway(o.name, o.info)
		if err == nil && r.seen.copied(o) { // the copy is the entry now
			err = errEdited{o.name}
		}
		return err
	}
	good, err := encode(e)
	if err != nil {
		return err
	}
	info, err := r.putBack(o.handEdit, good)
	if err != nil || info == (Info{}) {
		return err
	}
	o.hash, o.info, o.says = hashOf(good), info, o.id
	if r.catalog.names[o.id] == o.name {
		r.catalog.files[o.name] = o.known(o.id)
		r.logs.dirty[o.name] = r.state.Sequence()
		return nil
	}
	o.entry = e.Clone() // the file was renamed, too, and keeps its name
	o.entry.Source = byHand
	return r.planEdit(o)
}

// putBack exchanges a refused text for a good one. The zero Info means that it
// was edited again: the next look is at that.
func (r *reconciliation) putBack(edit handEdit, good []byte) (Info, error) {
	tmp := r.dir.tmpName()
	info, err := r.dir.writeTemp(tmp, good)
	if err == nil {
		err = r.dir.Rename(tmp, edit.name, Exchange)
	}
	if err != nil {
		return Info{}, errors.Join(err, r.dir.remove(tmp))
	}
	if was, err := r.dir.Lstat(tmp); err != nil || was != edit.info {
		return Info{}, errors.Join(err, r.dir.Rename(tmp, edit.name, Exchange), r.dir.remove(tmp))
	}
	return info, r.dir.remove(tmp)
}

// written reports whether a file is as this package writes it, and of a change
// that came after what the journal tells of the entry: no edit by hand.
func (f *openFolder) written(e *memory.Entry, data []byte) bool {
	if old := f.state.ByID(e.ID); old != nil && e.Revision <= old.Revision {
		return false
	}
	own, err := encode(e)
	return err == nil && bytes.Equal(own, data)
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
	var all map[string]any
	_ = yamldoc.Decode(append([]byte("\n"), matter...), &all) // it was decoded before
	unknown, _ := all["source"].(map[string]any)
	unread := []string{e.ID}
	for _, f := range memory.SourceFields {
		delete(unknown, f.Name)
		switch v := f.Pointer(&e.Source).(type) {
		case *string:
			unread = append(unread, *v)
		case *memory.Trust:
			unread = append(unread, string(*v))
		case *[]string:
			unread = append(unread, *v...)
		}
	}
	judged.Extra["comments"] = strings.Join(comments, "\n")
	judged.Extra["of source"] = unread
	judged.Extra["unknown of source"] = unknown
	return judged
}
