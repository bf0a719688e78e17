package file

import (
	"errors"
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// tombstoneOf returns the tombstone that a text has, or gets with the batch or with
// more.
func (b *batch) tombstoneOf(text string, more []tombstone) (t tombstone, err error) {
	want := b.f.dir.tombstone(text, time.Time{}, bindsNobody)
	for _, t := range slices.Backward(slices.Concat(b.tombstones, more)) {
		if [macSize]byte(t[:]) == [macSize]byte(want[:]) {
			return t, nil
		}
	}
	f, err := b.f.dir.openTombstones()
	if f == nil {
		return t, err
	}
	t, _, err = want.find(f)
	return t, errors.Join(err, f.Close())
}

// weigh returns the tombstones that a change makes, and makes void; file: it is one of
// files. It refuses a change that brings back what was removed.
func (b *batch) weigh(ch *memory.Change, steps []memory.Step, file bool) (out []tombstone, err error) {
	op := 0
	for _, s := range steps {
		if b.f.anew || leaves(s) {
			continue
		}
		op++
		changed := s.Before == nil || s.After == nil || s.Before.Content != s.After.Content
		if changed && s.Before != nil && b.f.state.Count(s.Before.Content) == 1 {
			at, binds := ch.At, int64(bindsLearning)
			switch {
			case s.After != nil:
			case !ch.Said.IsZero():
				at, binds = ch.Said, bindsFiles
			case file:
				binds = bindsRequests
			}
			out = append(out, b.f.dir.tombstone(s.Before.Content, at, binds))
		}
		if !changed || s.After == nil {
			continue
		}
		t, err := b.tombstoneOf(s.After.Content, out)
		if err != nil {
			return nil, wrap(string(s.Action), err)
		}
		if t.forbids(ch, file) {
			return nil, ch.OpError(op-1, &memory.Error{
				Op: string(s.Action), Kind: memory.KindRemoved,
				Err:  errors.New("this text was removed; a person brings it back, at a terminal: rnixfs commit add TEXT, or rnixfs commit restore KEY"),
				Hint: "leave it out, and don't rephrase it",
			})
		}
		if t.binds() != bindsNobody {
			out = append(out, b.f.dir.tombstone(s.After.Content, ch.At, bindsNobody))
		}
	}
	return out, nil
}
