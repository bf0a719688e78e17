package recall

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Results is what a search found.
type Results struct {
	Hits  []Hit // the best first
	Total int   // how many documents matched, shown or not
}

// Hit is one document that matched.
type Hit struct {
	ID     string
	Key    string
	Scope  memory.ScopeID
	Source Source
	// Score is from 0 to 1: how near it comes to a document that has all that was
	// asked for. Scores of different queries can't be compared.
	Score float64
	// Snippet is the text, or the part of it around what was found: verbatim, at
	// most 300 runes, with "…" where it was cut. Nothing is put into it to mark
	// the words that were found: Marks says where they are.
	Snippet string
	// Marks are the words of the query in Snippet, in order and apart.
	Marks []Span
	// Entry is the whole entry, and nil for a turn. It must not be changed.
	Entry *memory.Entry
	// Turn is the number of the turn in the process whose uuid ID is, Role who
	// said it, Title and Agent those of the process. Of entries they are zero.
	Turn  int
	Role  process.Role
	Title string
	Agent string
	// Timestamp is when the entry was last changed, or the turn was said.
	Timestamp time.Time
	// Explanation says where Score comes from, when that was asked for.
	Explanation *Explanation
}

// Search returns the documents that match, the best first: by score, then the
// newest, then by id. Everything that was acknowledged before the call is
// searched. A text without any word (punctuation, symbols) matches nothing.
//
// Errors are KindInvalid for an empty text, KindTimeout when ctx ends,
// KindUnavailable after Close and KindInternal when bleve fails.
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
	var found []place
	total := 0
	if q.wantsEntries() {
		found, total, err = e.searchEntries(ctx, indexes, asked, &q)
	}
	if err == nil && q.wantsTurns() {
		for _, c := range q.Conversations {
			var turns []place
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
		found = page(found, q.Max)
	}
	results := Results{Hits: make([]Hit, len(found)), Total: total}
	parallel(len(found), func(i int) { results.Hits[i] = found[i].cut(asked) })
	return results, nil
}

func (e *Engine) searchEntries(ctx context.Context, indexes []*scopeIndex, asked terms, q *Query) ([]place, int, error) {
	for _, ix := range indexes {
		if err := ix.drain(ctx); err != nil {
			return nil, 0, err
		}
	}
	return search(ctx, indexes, asked, filter{q, e.opts.Now(), e.opts.Score()})
}

// place is a hit without its snippet, and where that is to be cut: which needs
// no lock.
type place struct {
	hit     Hit
	text    string
	passage Span
}

func (p *place) cut(asked terms) Hit {
	p.hit.Snippet, p.hit.Marks = snippet(p.text, p.passage, asked)
	return p.hit
}

// search reads the indexes under their locks. It returns the first hits and how
// many there are.
func search(ctx context.Context, indexes []*scopeIndex, asked terms, f filter) ([]place, int, error) {
	for _, ix := range indexes {
		ix.mu.RLock()
		defer ix.mu.RUnlock()
	}
	s := newScorer(indexes, f.q.Explain)
	if err := s.run(ctx, asked); err != nil {
		return nil, 0, err
	}
	list := s.candidates(f)
	r := newRanking(asked, s)
	var places []place
	for _, c := range r.best(list, f.q.Max, s) {
		p := s.place(&c)
		if f.q.Explain {
			p.hit.Explanation = r.explain(&c, s)
		}
		places = append(places, p)
	}
	return places, len(list), nil
}

func (s *scorer) place(c *candidate) place {
	p := s.indexes[c.shard].slots[c.slot]
	return place{
		hit: Hit{
			ID: c.doc.id, Key: c.doc.entry.Key, Scope: s.indexes[c.shard].id, Source: c.doc.source,
			Score: c.score, Entry: c.doc.entry, Timestamp: c.doc.updated,
		},
		text:    c.doc.texts[fieldText],
		passage: Span{int(p.start), int(p.end)},
	}
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
