package file

import (
	"errors"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// tombstonesOf returns the tombstones that a text has, or gets with the batch or with
// more.
func (b *batch) tombstonesOf(text string, more []tombstone) (all []tombstone, err error) {
	var f File
	for _, form := range b.f.opts.disguises(text) {
		want := b.f.dir.tombstone(form, time.Time{}, bindsNobody)
		planned := slices.Concat(b.tombstones, more)
		if i := lastIndex(planned, want); i >= 0 {
			all = append(all, planned[i])
			continue
		}
		if f == nil {
			if f, err = b.f.dir.openTombstones(); f == nil {
				return all, err
			}
			defer f.Close() // it is only read
		}
		found, _, err := want.find(f)
		if err != nil {
			return nil, err
		}
		if found.same(want) {
			all = append(all, found)
		}
	}
	return all, nil
}

// lastIndex is where the last tombstone of the same form stands, or -1.
func lastIndex(list []tombstone, want tombstone) int {
	for i, t := range slices.Backward(list) {
		if t.same(want) {
			return i
		}
	}
	return -1
}

// weigh returns the tombstones that a change makes, and makes void; file: it is one of
// files. It refuses a change that brings back what was removed.
func (b *batch) weigh(ch *memory.Change, steps []memory.Step, file bool) (out []tombstone, err error) {
	op := 0
	for _, s := range steps {
		if b.f.anew || leaves(s) || s.Action == memory.ActionArchive {
			continue
		}
		op++
		if s.Before != nil && s.After != nil && s.Before.Content == s.After.Content {
			continue
		}
		at, binds := ch.At, int64(bindsLearning)
		switch {
		case s.After != nil || s.Action == memory.ActionClear: // a clear says nothing of any text
		case !ch.Said.IsZero():
			at, binds = ch.Said, bindsFiles
		case file:
			binds = bindsRequests
		}
		for _, text := range textsOf(s.Before, s.After) {
			if n := b.f.state.Count(text); n == 0 || n == 1 && text == s.Before.Content { // else another entry has it
				for _, form := range b.f.opts.forms(text) {
					out = append(out, b.f.dir.tombstone(form, at, binds))
				}
			}
		}
		for _, text := range textsOf(s.After, s.Before) {
			found, err := b.tombstonesOf(text, out)
			if err != nil {
				return nil, wrap(string(s.Action), err)
			}
			if slices.ContainsFunc(found, func(t tombstone) bool { return t.forbids(ch, file) }) {
				return nil, ch.OpError(op-1, &memory.Error{
					Op: string(s.Action), Kind: memory.KindRemoved,
					Err:  errors.New("this text was removed; a person brings it back, at a terminal: rnixfs commit add TEXT, or rnixfs commit restore KEY"),
					Hint: "leave it out, and don't rephrase it",
				})
			}
			for _, t := range found {
				if t.binds() != bindsNobody {
					out = append(out, t.void(ch.At))
				}
			}
		}
	}
	return out, nil
}

// textsOf are those of an entry that tombstones are of, the whole and each of its
// sections, but for those that another state of it has, too.
func textsOf(e, other *memory.Entry) []string {
	all := func(e *memory.Entry) []string {
		if e == nil {
			return nil
		}
		if sections := memory.Sections(e.Content); len(sections) > 1 {
			return append(sections, e.Content)
		}
		return []string{e.Content}
	}
	theirs := all(other)
	return slices.DeleteFunc(all(e), func(text string) bool { return slices.Contains(theirs, text) })
}
