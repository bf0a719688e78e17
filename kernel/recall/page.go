package recall

import (
	"cmp"
	"slices"
)

// wantsEntries reports whether entries can be hits.
func (q *Query) wantsEntries() bool {
	return q.wants(SourceMemory) && q.Role == "" && q.Process == "" && q.Agent == ""
}

// wantsTurns reports whether turns can be hits.
func (q *Query) wantsTurns() bool {
	return q.wants(SourceConversation) && len(q.Tags) == 0 && q.Category == "" && q.Type == ""
}

func (q *Query) wants(s Source) bool {
	return len(q.Sources) == 0 || slices.Contains(q.Sources, s)
}

// page orders the hits of all sources and returns the first.
func page(found []place, limit int) []place {
	slices.SortStableFunc(found, func(x, y place) int {
		a, b := &x.hit, &y.hit
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			b.Timestamp.Compare(a.Timestamp),
			cmp.Compare(a.ID, b.ID),
			cmp.Compare(a.Turn, b.Turn),
			cmp.Compare(a.Source, b.Source),
		)
	})
	return found[:min(limit, len(found))]
}

// search returns the turns that match as hits, the best first.
func (s *turnSearch) hit(p *turnPlace) place {
	c := &p.candidate
	return place{
		hit: Hit{
			ID: p.process.uuid, Source: SourceConversation, Score: s.unit(c.score),
			Turn: int(c.row.turn), Role: roles[c.row.role], Title: p.process.title, Agent: p.process.agent,
			Timestamp: c.row.clock(),
		},
		text:    p.turn.Content,
		passage: Span{int(c.row.start), int(c.row.start + c.row.length)},
	}
}
