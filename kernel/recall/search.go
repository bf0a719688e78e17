package recall

import (
	"context"
	"errors"
	"slices"
	"strings"

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
	if len(q.Conversations) > 0 {
		q.days(e.opts.Now())
	}
	s := e.second(indexes, &asked, &q)
	found, total, err := e.folded(ctx, indexes, &asked, q, s)
	if err != nil {
		return Results{}, searchError(err)
	}
	results := Results{Hits: make([]Hit, len(found)), Total: total, Meaning: s.end(), asked: &asked, found: found, lists: q.lists}
	if !q.lists {
		results.Missing = asked.missing()
	}
	parallel(len(found), func(i int) { results.Hits[i] = found[i].cut(&asked) })
	return results, nil
}

// folded returns the first hits. With Fold it looks at more of them, until as many as were
// asked for say different things or there are no others.
func (e *Engine) folded(ctx context.Context, indexes []*scopeIndex, asked *terms, q Query, s *second) ([]candidateHit, int, error) {
	most := q.Max
	if !q.Fold {
		q.Max = s.depth(q.Max)
		found, total, err := e.first(ctx, indexes, asked, q, s)
		return found[:min(most, len(found))], total, err
	}
	q.Max = s.depth(2*most + foldSpare)
	for round, before := 1, -1; ; round++ {
		found, total, err := e.first(ctx, indexes, asked, q, s)
		kept, joined := fold(found)
		if err != nil || len(kept) >= most || len(found) == before || len(found) < q.Max || round == foldRounds {
			return kept[:min(most, len(kept))], max(total-joined, len(kept)), err
		}
		before, q.Max = len(found), q.Max*foldFactor
	}
}

// first returns about the first q.Max hits of all sources, the best first.
func (e *Engine) first(ctx context.Context, indexes []*scopeIndex, asked *terms, q Query, s *second) (found []candidateHit, total int, err error) {
	if q.wantsEntries() {
		found, total, err = searchEntries(ctx, indexes, *asked, &q, e.opts)
	}
	for _, c := range q.Conversations {
		if err != nil || !q.wantsTurns(c.opts.Source) {
			continue
		}
		var turns []candidateHit
		var n int
		turns, n, err = c.search(ctx, asked, &q)
		found = append(found, turns...)
		total += n
	}
	if len(q.Conversations) > 0 {
		slices.SortStableFunc(found, compareHits)
	}
	if err == nil {
		found, err = s.add(ctx, &q, found)
	}
	return found, max(total, len(found)), err
}

func searchError(err error) error {
	if _, ok := errors.AsType[*memory.Error](err); ok {
		return err
	}
	kind := memory.KindInternal
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		kind = memory.KindTimeout
	}
	return memory.Errorf(kind, "recall", "search: %w", err)
}
