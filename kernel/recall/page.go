package recall

import (
	"cmp"
	"slices"
)

// firstPage orders the hits of all sources and returns the first.
func firstPage(found []candidateHit, limit int) []candidateHit {
	slices.SortStableFunc(found, func(x, y candidateHit) int {
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

// pageSize is how many results a reader takes in at once.
const pageSize = 10

// spread puts what one conversation has too much of on the first page behind what
// others have, in the order of their ranks.
func spread(list []candidateHit, together int) []candidateHit {
	if together <= 0 || len(list) <= together {
		return list
	}
	count := map[string]int{}
	var first, later []candidateHit
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
