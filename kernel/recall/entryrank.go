package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

const (
	// A query of so many words is a list of keywords: an entry with more of them
	// comes first, whatever the words weigh. A longer query is a sentence, in which
	// some words matter and some do not.
	maxKeywords = 3
	// coverageWeight is the share of a sentence's score that depends on how much
	// of it was found. On the questions of TestQuality it makes no measurable
	// difference between 0.3 and 1, nor does proximityWeight between 0 and 0.4;
	// more of that costs.
	coverageWeight = 0.5
	// proximityWeight is what two words of the query in a row are worth, in
	// parts of the lesser word's weight.
	proximityWeight = 0.3
	// priorWeight is the share of the score that importance and recency decide:
	// enough to order what is all but equal.
	priorWeight = 0.02
	// archivedWeight is what an archived entry is worth beside one that is not.
	archivedWeight = 0.5
	// minWindow is how many of the best candidates are looked at closely.
	minWindow = 50
)

// entryCandidate is an entry that has a word of the query.
type entryCandidate struct {
	doc       *document
	shard     int
	passage   uint32 // the best one
	text      float64
	units     uint64 // covered words, in all passages
	proximity float64
	prior     float64
	archived  bool
	score     float64
}

// candidates gathers the scored passages by entry, those that pass.
func (s *entryScorer) candidates(q *Query, now time.Time, score memory.Score) []entryCandidate {
	n := 0
	for i := range s.shards {
		n += len(s.shards[i].touched)
	}
	list := make([]entryCandidate, 0, n)
	for i := range s.shards {
		sh := &s.shards[i]
		at := make([]int32, len(sh.passages)) // by an entry's first passage: 1 + its place in list, or -1
		for _, n := range sh.touched {
			d := sh.passages[n].doc
			place := &at[d.passages[0]]
			if *place == 0 {
				*place = -1
				if fate := sh.lifetimes.Fate(d.entry, now); fate != memory.Gone && q.passes(d) {
					list = append(list, entryCandidate{
						doc: d, shard: i, passage: n, prior: score.Relevance(d.entry, now), archived: fate == memory.Archived,
					})
					*place = int32(len(list))
				}
			}
			if *place < 0 {
				continue
			}
			c := &list[*place-1]
			c.units |= sh.units[n]
			if x := sh.score[n]; x > c.text || x == c.text && n < c.passage {
				c.text, c.passage = x, n
			}
		}
	}
	return list
}

// passes reports whether a query is about an entry at all.
func (q *Query) passes(d *document) bool {
	e := d.entry
	switch {
	case !q.Since.IsZero() && d.updated.Before(q.Since):
		return false
	case !q.Until.IsZero() && !d.updated.Before(q.Until):
		return false
	case len(q.Categories) > 0 && !slices.ContainsFunc(q.Categories, func(c string) bool { return strings.EqualFold(c, e.Category) }):
		return false
	case q.Type != "" && !strings.EqualFold(q.Type, e.Type):
		return false
	}
	return len(q.Tags) == 0 || slices.ContainsFunc(q.Tags, func(tag string) bool {
		return slices.ContainsFunc(e.Tags, func(has string) bool { return strings.EqualFold(tag, has) })
	})
}

// entryRanking turns text scores into final ones.
type entryRanking struct {
	*entryScorer
	weights
	perfect float64 // the text score and proximity of a perfect entry
	scarce  uint64  // rare words of the question
}

func newEntryRanking(q terms, s *entryScorer) entryRanking {
	r := entryRanking{entryScorer: s, weights: newWeights(q, s.idf), perfect: s.ideal}
	r.scarce = r.rare(s.total)
	for u := 1; u < len(r.units); u++ {
		r.perfect += proximityWeight * math.Min(r.units[u-1], r.units[u])
	}
	return r
}

// score sets c.score, from 0 to 1.
func (r *entryRanking) score(c *entryCandidate) {
	x := 0.0
	if r.perfect > 0 {
		x = math.Min(1, (c.text+c.proximity)/r.perfect)
	}
	x *= 1 - priorWeight + priorWeight*c.prior
	switch n := r.terms.units; {
	case n == 0:
		c.score = x
	case n <= maxKeywords:
		covered := max(1, bits.OnesCount64(c.units))
		c.score = (float64(covered-1) + math.Min(x, 0.9999)) / float64(n)
	default:
		c.score = x * (1 - coverageWeight + coverageWeight*r.coverage(c.units))
	}
	if c.archived {
		c.score *= archivedWeight
	}
}

// best returns the first hits in order. It looks closely at some more than that.
func (r *entryRanking) best(list []entryCandidate, limit int) []*entryCandidate {
	nearest := top[*entryCandidate]{size: max(minWindow, 2*limit), compare: compareEntries}
	for i := range list {
		r.score(&list[i])
		nearest.add(&list[i])
	}
	best := nearest.best()
	if r.terms.units > 1 {
		parallel(len(best), func(i int) {
			c := best[i]
			p := &r.shards[c.shard].passages[c.passage]
			tokens := analysis.Analyze(c.doc.texts[fieldText][p.Start:p.End])
			c.proximity = proximityWeight * r.proximity(r.terms.occurrences(tokens))
			r.score(c)
		})
		slices.SortFunc(best, compareEntries)
	}
	return best[:min(len(best), limit)]
}

// compareEntries orders by score, then the newest first, then by id, then by
// scope.
func compareEntries(a, b *entryCandidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c := b.doc.updated.Compare(a.doc.updated); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.doc.entry.ID, b.doc.entry.ID), cmp.Compare(a.shard, b.shard))
}
