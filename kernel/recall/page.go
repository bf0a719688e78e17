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
	found = spread(found, defaultTuning.together)
	return found[:min(limit, len(found))]
}

// pageSize is how many results a reader takes in at once; spare how many more are
// ranked, such that others can take the places of what one process has too many
// of.
const (
	pageSize = 10
	spare    = 20
)

// spread puts what one process has too much of on the first page behind what
// others have, in the order of their ranks.
func spread(list []place, together int) []place {
	if together <= 0 || len(list) <= together {
		return list
	}
	count := map[string]int{}
	var first, later []place
	for i, p := range list {
		if len(first) == pageSize {
			return slices.Concat(first, later, list[i:])
		}
		if p.hit.Source == SourceConversation {
			if count[p.hit.ID]++; count[p.hit.ID] > together {
				later = append(later, p)
				continue
			}
		}
		first = append(first, p)
	}
	return append(first, later...)
}
