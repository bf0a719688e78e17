package file

import (
	"cmp"
	"context"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// history reads the journal of a folder as a stream, for those who see the
// folder as view.
type history struct {
	dir  *dir // nil: there is no folder
	view memory.View
}

// of returns what happened to an entry. It reads twice when the entry is not
// named by its id.
func (h history) of(ctx context.Context, m memory.Match) ([]memory.Record, error) {
	id, err := h.idOf(ctx, m)
	if err != nil {
		return nil, err
	}
	var out []memory.Record
	err = h.each(ctx, []byte(id), func(r *record) {
		for _, s := range r.Steps {
			if s.Before != nil && s.Before.ID == id || s.After != nil && s.After.ID == id {
				out = append(out, memory.Record{
					Sequence: r.Seq, Time: r.Time, Action: s.Action, Actor: r.Actor, ID: id, Before: s.Before, After: s.After,
				})
			}
		}
	})
	if err != nil {
		return nil, wrap("history", err)
	}
	if len(out) == 0 {
		for _, e := range h.view.Entries {
			if e.ID == id {
				return nil, nil // older than the journal
			}
		}
		return nil, memory.NotFound("history", m)
	}
	return out, nil
}

func (h history) each(ctx context.Context, holding []byte, fn func(*record)) error {
	if h.dir == nil {
		return nil
	}
	return eachRecord(ctx, h.dir, h.view.Sequence, holding, fn)
}

// idOf finds the id of the entry that has, or last had, a key or content.
func (h history) idOf(ctx context.Context, m memory.Match) (string, error) {
	if m.ID != "" {
		return m.ID, nil
	}
	matches := func(e *memory.Entry) bool {
		return e != nil && (m.Key != "" && e.Key == m.Key || m.Key == "" && e.Content == m.Content)
	}
	id := ""
	for _, e := range h.view.Entries {
		if matches(e) {
			if id != "" {
				return "", memory.Errorf(memory.KindInvalid, "history", "several entries have this content; name one by its id")
			}
			id = e.ID
		}
	}
	if id != "" {
		return id, nil
	}
	err := h.each(ctx, nil, func(r *record) {
		for _, s := range r.Steps {
			for _, e := range []*memory.Entry{s.Before, s.After} {
				if matches(e) {
					id = e.ID
				}
			}
		}
	})
	if err != nil {
		return "", wrap("history", err)
	}
	if id == "" {
		return "", memory.NotFound("history", m)
	}
	return id, nil
}

// changes returns the latest changes that pass. It reads the journal's end, and more of
// it until there are enough.
func (h history) changes(ctx context.Context, most int, pass func(*memory.Record) bool) (out []memory.Record, err error) {
	for last := int64(1 << 20); h.dir != nil; last *= 8 {
		out = out[:0]
		whole, err := eachOfLast(ctx, h.dir, last, h.view.Sequence, nil, func(r *record) {
			for _, s := range r.Steps {
				e := cmp.Or(s.After, s.Before)
				rec := memory.Record{Sequence: r.Seq, Time: r.Time, Action: s.Action, Actor: r.Actor, ID: e.ID, Before: s.Before, After: s.After}
				if pass(&rec) {
					out = append(out, rec)
				}
			}
			if len(out) > 2*most {
				out = slices.Delete(out, 0, len(out)-most)
			}
		})
		if err != nil || whole || len(out) >= most {
			return out[max(0, len(out)-most):], wrap("list changes", err)
		}
	}
	return nil, nil
}

// told reports whether the journal says something. Quotes in a text are escaped there.
func (f *openFolder) told(what string) (told bool) {
	err := eachRecord(context.Background(), f.dir, f.logs.lock.at.Done, []byte(what), func(*record) { told = true })
	return err == nil && told
}
