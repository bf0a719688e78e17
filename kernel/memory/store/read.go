package store

import (
	"context"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// read runs a request that changes nothing.
func (s *Store) read(ctx context.Context, j job) error {
	r := s.Reader(j.id)
	if j.req.Action == actionHistory {
		return s.history(ctx, j, r)
	}
	whole, l, now, err := r.whole(ctx)
	if err != nil {
		return err
	}
	v := whole.Live(&l, now, false)
	j.reply.Room = roomOf(v.Used, j.policy)
	switch j.req.Action {
	case actionSnapshot:
		texts := make([]string, len(v.Entries))
		for i, e := range v.Entries {
			texts[i] = e.Content
		}
		snapshot := strings.Join(texts, "\n")
		j.reply.Snapshot = &snapshot
	case actionCapacity:
		n := len(v.Entries)
		j.reply.Count = &n
	case actionGet:
		err := s.get(ctx, j, whole.Live(&l, now, true).Entries)
		if err == nil {
			j.reply.Entry = l.Dated(j.reply.Entry)
		}
		return err
	case actionList:
		if _, archived := j.req.Where["archived"]; archived {
			v = whole.Live(&l, now, true)
		}
		if strings.TrimPrefix(j.req.Sort, "-") == "expires" {
			return list(j, dated(&l, v.Entries), now)
		}
		if err := list(j, v.Entries, now); err != nil {
			return err
		}
		page := dated(&l, *j.reply.Entries)
		j.reply.Entries = &page
	}
	return nil
}

// dated are the entries with the times at which they end.
func dated(l *memory.Lifetimes, entries []*memory.Entry) []*memory.Entry {
	out := make([]*memory.Entry, len(entries))
	for i, e := range entries {
		out[i] = l.Dated(e)
	}
	return out
}

func (s *Store) get(ctx context.Context, j job, entries []*memory.Entry) error {
	m, err := j.req.match()
	if err != nil {
		return err
	}
	m.Withhold = s.gate.secretMatch(ctx, m)
	e, err := FindIn(entries, m)
	if err != nil {
		return err
	}
	j.reply.Entry, j.reply.ID, j.reply.Key, j.reply.Revision = e, e.ID, e.Key, e.Revision
	return nil
}

// FindIn returns the one entry that m names.
func FindIn(entries []*memory.Entry, m memory.Match) (*memory.Entry, error) {
	var same []*memory.Entry
	for _, e := range entries {
		switch {
		case m.ID != "" && e.ID == m.ID, m.ID == "" && m.Key != "" && e.Key == m.Key:
			return e, nil
		case m.ID == "" && m.Key == "" && e.Content == m.Content:
			same = append(same, e)
		}
	}
	e, err := memory.Pick(actionGet, same)
	if e == nil && err == nil {
		err = memory.NotFound(actionGet, m)
	}
	return e, err
}

func (s *Store) history(ctx context.Context, j job, r Reader) error {
	m, err := j.req.match()
	if err != nil {
		return err
	}
	m.Withhold = s.gate.secretMatch(ctx, m)
	recs, err := r.History(ctx, m)
	if err != nil {
		return err
	}
	n := len(recs)
	if most := j.req.MaxResults; most > 0 && n > most {
		recs = recs[n-most:]
	}
	j.reply.History, j.reply.Count = &recs, &n
	if n > 0 {
		j.reply.ID = recs[len(recs)-1].ID
	}
	return nil
}
