package memory

import (
	"errors"
	"fmt"
	"slices"
)

// Plan works out what ch does to the state, without changing it. The steps are
// made part of it by [State.Commit], once they are durable. Errors: KindInvalid
// (ambiguous match), KindNotFound, KindExists, KindConflict, KindOverLimit.
func (st *State) Plan(ch Change) ([]Step, error) {
	d := newDraft(st, ch)
	d.expire()
	for i, op := range ch.Ops {
		if err := d.op(op); err != nil {
			return nil, ch.OpError(i, err)
		}
	}
	return d.steps, nil
}

// OpError is the error of operation i: a batch says which of its own it was.
func (ch *Change) OpError(i int, err error) error {
	var e *Error
	if len(ch.Ops) > 1 && errors.As(err, &e) {
		e.Err = fmt.Errorf("ops[%d]: %w", i, e.Err)
	}
	return err
}

// expire takes out, or archives, the entries whose time is over.
func (d *draft) expire() {
	for _, e := range d.st.ended(&d.ch.Limit.Lifetimes, d.ch.At) {
		if d.ch.Limit.Fate(e, d.ch.At) == Gone {
			d.step(ActionExpire, e, nil)
			continue
		}
		kept := e.Clone()
		kept.Archived, kept.Revision = true, e.Revision+1
		d.step(ActionArchive, e, kept)
	}
}

func (d *draft) op(op Op) error {
	switch op.Action {
	case ActionAdd:
		return d.add(op)
	case ActionPut:
		return d.put(op)
	case ActionReplace:
		return d.update(ActionReplace, op)
	case ActionClear:
		d.clear()
		return nil
	case ActionRemove:
		e, err := d.find(op)
		if err != nil {
			return err
		}
		d.step(ActionRemove, e, nil)
		return nil
	case ActionRestore:
		return d.restore(op)
	case ActionEdit:
		return d.edit(op)
	}
	return Errorf(KindInvalid, string(op.Action), "unknown action: %s", QuoteName(string(op.Action)))
}

func (d *draft) add(op Op) error {
	e := op.Entry.Clone()
	if e.Key == "" {
		e.Key = d.freeKey(DeriveKey(e.Content))
	} else if other := d.byKey(e.Key); other != nil && other.Archived {
		return Errorf(KindExists, "add", "an archived entry has the key %q; restore, replace or remove it", e.Key)
	} else if other != nil {
		return Errorf(KindExists, "add", "an entry with the key %q exists; replace it by its key", e.Key)
	}
	if err := d.note(op, nil, e); err != nil {
		return err
	}
	e.Created, e.Updated, e.Revision = d.ch.At, d.ch.At, 1
	e.Source = d.ch.Actor
	if err := d.fit("add", size{e.Runes(), 1}, e.ID); err != nil {
		return err
	}
	same := d.byContent(e.Content)
	d.step(ActionAdd, nil, e)
	if len(same) > 0 {
		d.steps[len(d.steps)-1].Duplicate = same[0].ID
	}
	return nil
}

// update makes a new revision of the entry that op means, by a step of the action a.
func (d *draft) update(a Action, op Op) error {
	old, err := d.find(op)
	if err != nil {
		return err
	}
	e := old.Clone()
	set(e, &op.Entry, op.Set)
	if err := d.note(op, old, e); err != nil {
		return err
	}
	if e.Key != old.Key && d.byKey(e.Key) != nil {
		return Errorf(KindExists, "replace", "an entry with the key %q exists", e.Key)
	}
	e.KeyStale = keyStale(old, e)
	e.Updated, e.Revision, e.Source, e.Archived = d.ch.At, old.Revision+1, d.ch.Actor, false
	if err := d.fit("replace", growth(old, e), e.ID); err != nil {
		return err
	}
	d.step(a, old, e)
	return nil
}

// clear removes every entry, pinned ones too.
func (d *draft) clear() {
	for _, e := range d.st.entries {
		if e = d.byID(e.ID); e != nil {
			d.step(ActionClear, e, nil)
		}
	}
}

// restore brings back an earlier state of an entry, also of one that is gone.
func (d *draft) restore(op Op) error {
	e := op.Entry.Clone()
	e.Updated, e.Source, e.Archived = d.ch.At, d.ch.Actor, false
	old := d.byID(e.ID)
	if old != nil && op.ExpectedRevision != 0 && op.ExpectedRevision != old.Revision {
		return revisionConflict("restore", op.ExpectedRevision, old.Revision)
	}
	if other := d.byKey(e.Key); other != nil && other.ID != e.ID {
		e.Key = d.freeKey(e.Key)
	}
	if old != nil {
		e.Revision = max(e.Revision, old.Revision)
	}
	e.Revision++
	if err := d.fit("restore", growth(old, e), e.ID); err != nil {
		return err
	}
	d.step(ActionRestore, old, e)
	return nil
}

// edit takes in an entry as somebody wrote it by hand: the file's word holds for
// every field that it has.
func (d *draft) edit(op Op) error {
	e := op.Entry.Clone()
	old := d.byID(e.ID)
	if other := d.byKey(e.Key); other != nil && other.ID != e.ID {
		e.Key = d.freeKey(e.Key)
	}
	grow := growth(old, e)
	if old != nil {
		if !e.Updated.After(old.Updated) { // that is not a person's to say
			e.Updated = d.ch.At
		}
		e.KeyStale = keyStale(old, e)
		e.Revision = max(e.Revision-1, old.Revision) + 1
	}
	e.Revision = max(e.Revision, 1)
	// A person's edit never pushes other entries out, whatever the policy.
	if over := d.over(grow, size{}); over != "" {
		return d.overLimit("edit", over, grow)
	}
	d.step(ActionEdit, old, e)
	return nil
}

// set copies the named fields of src to dst.
func set(dst, src *Entry, fields []string) {
	c := src.Clone()
	for _, f := range EntryFields {
		if f.Request && slices.Contains(fields, f.Name) {
			f.Copy(dst, c)
		}
	}
}
