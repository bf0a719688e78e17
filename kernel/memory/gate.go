package memory

import (
	"context"
	"slices"
	"strings"
)

// mask replaces what has to be masked, which is possible in a content only: a key
// or a tag with a hole in it names something else.
func (s *Store) mask(ctx context.Context, ch *Change, op string, found []Finding) error {
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
			return Errorf(KindRejected, op, "what was found could not be masked, so nothing was stored")
		}
		e.Content = text
	}
	return nil
}

// scanJoined looks at the new texts of a change together with those that are stored,
// so that a secret does not come in by halves. Two halves that are written at the
// very same moment pass it.
func (s *Store) scanJoined(ctx context.Context, p Provider, ch *Change, op string) (Verdict, error) {
	var all Verdict
	var before []*Entry
	loaded := false
	var texts []string // of this change
	for i := range ch.Ops {
		o := &ch.Ops[i]
		if o.Entry.Content == "" || o.Action != ActionAdd && o.Action != ActionReplace {
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
func others(entries []*Entry, m Match) []string {
	out := make([]string, 0, len(entries)+1)
	for _, e := range entries {
		if !means(m, e) {
			out = append(out, e.Content)
		}
	}
	return out
}

func means(m Match, e *Entry) bool { return e.ID == m.ID || e.Key == m.Key || e.Content == m.Content }

// nameParts says in each finding which entries have the other parts, such that a
// person can look at them. The texts of the same change have no ids yet.
func nameParts(v Verdict, entries []*Entry, m Match) {
	for _, list := range [][]Finding{v.Reject, v.Mask, v.Warn} {
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
