package store

import (
	"context"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// mask replaces what has to be masked, which is possible in a content only: a key
// or a tag with a hole in it names something else.
func (s *Store) mask(ctx context.Context, ch *memory.Change, op string, found []memory.Finding) error {
	if len(found) == 0 {
		return nil
	}
	for _, f := range found {
		if f.Field != "content" && !strings.HasSuffix(f.Field, "].content") {
			return rejection(op, found)
		}
	}
	for i := range ch.Ops {
		e := &ch.Ops[i].Entry
		if e.Content == "" {
			continue
		}
		text, err := s.opts.Scanner.Redact(ctx, e.Content)
		if err != nil {
			return memory.Errorf(memory.KindRejected, op, "what was found could not be masked, so nothing was stored")
		}
		e.Content = text
	}
	return nil
}

// scanJoined looks at the new texts of a change together with those that are stored,
// so that a secret does not come in by halves. Two halves that are written at the
// very same moment pass it.
func (s *Store) scanJoined(ctx context.Context, p memory.Provider, ch *memory.Change, op string) (memory.Verdict, error) {
	var all memory.Verdict
	var before []*memory.Entry
	loaded := false
	var texts []string // of this change
	for i := range ch.Ops {
		o := &ch.Ops[i]
		if o.Entry.Content == "" || o.Action != memory.ActionAdd && o.Action != memory.ActionReplace {
			continue
		}
		if !loaded {
			v, err := p.Load(ctx)
			if err != nil {
				return all, err
			}
			before, loaded = v.Newest, true
		}
		v, err := s.opts.Scanner.Joined(ctx, append(others(before, o.Match), texts...), o.Entry.Content)
		nameParts(v, before, o.Match)
		v, err = judged(op)(v, err)
		if err != nil {
			return all, err
		}
		if len(v.Mask) > 0 { // a half can't be masked alone
			return all, rejection(op, v.Mask)
		}
		all.Warn = append(all.Warn, v.Warn...)
		texts = append(texts, o.Entry.Content)
	}
	return all, nil
}

// others returns the texts but the one that is replaced.
func others(entries []*memory.Entry, m memory.Match) []string {
	out := make([]string, 0, len(entries)+1)
	for _, e := range entries {
		if !means(m, e) {
			out = append(out, e.Content)
		}
	}
	return out
}

func means(m memory.Match, e *memory.Entry) bool {
	return e.ID == m.ID || e.Key == m.Key || e.Content == m.Content
}

// nameParts says in each finding which entries have the other parts, such that a
// person can look at them. The texts of the same change have no ids yet.
func nameParts(v memory.Verdict, entries []*memory.Entry, m memory.Match) {
	for _, list := range [][]memory.Finding{v.Reject, v.Mask, v.Warn} {
		for i := range list {
			f, at := &list[i], 0
			for _, e := range entries {
				if means(m, e) {
					continue
				}
				if slices.Contains(f.Beside, at) {
					f.Entries = append(f.Entries, e.ID)
				}
				at++
			}
			if len(f.Entries) > 0 {
				f.Hint = strings.TrimPrefix(f.Hint+"; the other part is in the entry "+strings.Join(f.Entries, ", "), "; ")
			}
		}
	}
}
