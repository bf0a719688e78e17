package recall

import (
	"context"
	"math/bits"
)

// searchEntries returns the first hits among the entries and how many there are.
func searchEntries(ctx context.Context, indexes []*scopeIndex, asked terms, q *Query, opts Options) ([]candidateHit, int, error) {
	for _, ix := range indexes {
		if err := ix.drain(); err != nil {
			return nil, 0, err
		}
	}
	for _, ix := range indexes {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
	}
	s := newEntryScorer(indexes, opts.Lifetimes)
	defer s.close()
	if err := s.run(ctx, asked); err != nil {
		return nil, 0, err
	}
	list := s.candidates(q, opts.Now(), opts.Score())
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

// hit makes a hit of a candidate.
func (r *entryRanking) hit(c *entryCandidate) candidateHit {
	sh := &r.shards[c.shard]
	return candidateHit{
		hit: Hit{
			ID: c.doc.entry.ID, Key: c.doc.entry.Key, Scope: sh.id, Source: SourceMemory,
			Score: c.score, Entry: c.doc.entry, Archived: c.archived, Timestamp: c.doc.updated,
		},
		text:    c.doc.texts[fieldText],
		exact:   r.scarce != 0 && r.scarce&^c.units == 0,
		passage: sh.passages[c.passage].Span,
	}
}

func (r *entryRanking) explain(c *entryCandidate) (*Explanation, error) {
	terms, err := r.entryScorer.explain(r.terms, c.shard, c.passage)
	return &Explanation{
		Terms: terms, Matched: bits.OnesCount64(c.units), Of: r.terms.units,
		Text: c.text, Proximity: c.proximity, Ideal: r.perfect, Prior: c.prior,
		Passage: r.shards[c.shard].passages[c.passage].Span,
	}, err
}
