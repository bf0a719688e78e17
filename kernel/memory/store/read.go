package store

import (
	"context"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func (s *Store) read(ctx context.Context, id memory.ScopeID, req Request, reply *Reply) error {
	p, err := s.Provider(ctx, id)
	if err != nil {
		return err
	}
	v, err := p.Load(ctx)
	if err != nil {
		return err
	}
	reply.numbers(v.Used, s.Limit(id.Scope).Runes)
	switch req.Action {
	case actionSnapshot:
		texts := make([]string, len(v.Entries))
		for i, e := range v.Entries {
			texts[i] = e.Content
		}
		snapshot := strings.Join(texts, "\n")
		reply.Snapshot = &snapshot
	case actionGet:
		m, err := req.match()
		if err != nil {
			return err
		}
		m.Withhold = s.secretMatch(ctx, m)
		e, err := FindIn(v.Entries, m)
		if err != nil {
			return err
		}
		reply.Entry, reply.ID, reply.Key, reply.Revision = e, e.ID, e.Key, e.Revision
	case actionList:
		list(v.Entries, req, reply)
	}
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

func list(entries []*memory.Entry, req Request, reply *Reply) {
	out := []*memory.Entry{}
	for _, e := range entries {
		if (req.Category == nil || e.Category == *req.Category) && (req.Type == nil || e.Type == *req.Type) && hasTags(e, req.Tags) {
			out = append(out, e)
		}
	}
	n := len(out)
	if req.MaxResults > 0 && n > req.MaxResults {
		out = out[n-req.MaxResults:] // the newest
	}
	reply.Entries, reply.Count = &out, &n
}

func hasTags(e *memory.Entry, tags *[]string) bool {
	return tags == nil || !slices.ContainsFunc(*tags, func(t string) bool { return !slices.Contains(e.Tags, t) })
}

func (s *Store) history(ctx context.Context, id memory.ScopeID, req Request, reply *Reply) error {
	m, err := req.match()
	if err != nil {
		return err
	}
	m.Withhold = s.secretMatch(ctx, m)
	p, err := s.Provider(ctx, id)
	if err != nil {
		return err
	}
	recs, err := p.History(ctx, m)
	if err != nil {
		return err
	}
	n := len(recs)
	if req.MaxResults > 0 && n > req.MaxResults {
		recs = recs[n-req.MaxResults:]
	}
	reply.History, reply.Count = &recs, &n
	if n > 0 {
		reply.ID = recs[len(recs)-1].ID
	}
	return nil
}
