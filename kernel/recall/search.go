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
	var found []candidateHit
	total := 0
	if q.wantsEntries() {
		found, total, err = searchEntries(ctx, indexes, asked, &q, e.opts)
	}
	for _, c := range q.Conversations {
		if err != nil || !q.wantsTurns(c.opts.Source) {
			continue
		}
		var turns []candidateHit
		var n int
		turns, n, err = c.search(ctx, &asked, &q)
		found = append(found, turns...)
		total += n
	}
	if err != nil {
		return Results{}, searchError(err)
	}
	if len(q.Conversations) > 0 {
		slices.SortStableFunc(found, compareHits)
		found = found[:min(q.Max, len(found))]
	}
	results := Results{Hits: make([]Hit, len(found)), Total: total}
	parallel(len(found), func(i int) { results.Hits[i] = found[i].cut(asked) })
	return results, nil
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
