package recall

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Search returns the documents that match, the best first: by score, then the
// newest, then by id. Everything that was acknowledged before the call is
// searched. A text without any word (punctuation, symbols) matches nothing.
//
// Errors are KindInvalid for an empty text, KindTimeout when ctx ends,
// KindUnavailable after Close and KindInternal when an index fails.
func (e *Engine) Search(ctx context.Context, q Query) (Results, error) {
	if strings.TrimSpace(q.Text) == "" {
		return Results{}, memory.Errorf(memory.KindInvalid, "recall", "query is required")
	}
	if q.Max <= 0 {
		q.Max = DefaultMax
	}
	indexes, err := e.indexes(q.Scopes)
	if err != nil {
		return Results{}, err
	}
	asked := analyze(q.Text)
	if len(asked.list) == 0 {
		return Results{}, nil
	}
	var found []candidateHit
	total := 0
	if q.wantsEntries() {
		found, total, err = searchEntries(ctx, indexes, asked, &q, e.opts.Now(), e.opts.Score())
	}
	if err == nil && q.wantsTurns() {
		for _, c := range q.Conversations {
			var turns []candidateHit
			var n int
			if turns, n, err = c.search(ctx, &asked, &q); err != nil {
				break
			}
			found = append(found, turns...)
			total += n
		}
	}
	if err != nil {
		return Results{}, searchError(err)
	}
	if len(q.Conversations) > 0 {
		found = firstPage(found, q.Max)
	}
	results := Results{Hits: make([]Hit, len(found)), Total: total}
	parallel(len(found), func(i int) { results.Hits[i] = found[i].cut(asked) })
	return results, nil
}

// searchEntries returns the first hits among the entries and how many there are.
func searchEntries(ctx context.Context, indexes []*scopeIndex, asked terms, q *Query, now time.Time, score memory.Score) ([]candidateHit, int, error) {
	for _, ix := range indexes {
		if err := ix.drain(ctx); err != nil {
			return nil, 0, err
		}
	}
	for _, ix := range indexes {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
	}
	s := newEntryScorer(indexes)
	defer s.close()
	if err := s.run(ctx, asked); err != nil {
		return nil, 0, err
	}
	list := s.candidates(q, now, score)
	r := newEntryRanking(asked, s)
	var hits []candidateHit
	for _, c := range r.best(list, q.Max) {
		h := r.hit(c)
		if q.Explain {
			var err error
			if h.hit.Explanation, err = r.explain(c); err != nil {
				return nil, 0, err
			}
		}
		hits = append(hits, h)
	}
	return hits, len(list), nil
}

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

func searchError(err error) error {
	var known *memory.Error
	if errors.As(err, &known) {
		return err
	}
	kind := memory.KindInternal
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = memory.KindTimeout
	}
	return memory.Errorf(kind, "recall", "search: %w", err)
}
