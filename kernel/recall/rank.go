package recall

import (
	"cmp"
	"math"
	"math/bits"
	"slices"
)

const (
	// A query of so many words is a list of keywords: who has more of them comes
	// first, whatever the words weigh. A longer one is a sentence, in which some
	// words matter and some do not.
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
	// minWindow is how many of the best candidates are looked at closely.
	minWindow = 50
)

// candidate is a document that has a word of the query.
type candidate struct {
	doc       *document
	shard     int
	slot      uint32 // the best passage
	text      float64
	units     uint64 // covered words, in all passages
	proximity float64
	prior     float64
	score     float64
}

// candidates gathers the scored passages by document, those that pass.
func (s *scorer) candidates(f filter) []candidate {
	n := 0
	for i := range s.shards {
		n += len(s.shards[i].touched)
	}
	list := make([]candidate, 0, n)
	for i, ix := range s.indexes {
		sh := &s.shards[i]
		at := make([]int32, len(ix.slots)) // by a document's first slot: 1 + its place in list, or -1
		for _, slot := range sh.touched {
			d := ix.slots[slot].doc
			place := &at[d.slots[0]]
			if *place == 0 {
				*place = -1
				if f.passes(d) {
					list = append(list, candidate{doc: d, shard: i, slot: slot, prior: f.score.Relevance(d.entry, f.now)})
					*place = int32(len(list))
				}
			}
			if *place < 0 {
				continue
			}
			c := &list[*place-1]
			c.units |= sh.units[slot]
			if x := sh.score[slot]; x > c.text || x == c.text && slot < c.slot {
				c.text, c.slot = x, slot
			}
		}
	}
	return list
}

// ranking turns text scores into final ones.
type ranking struct {
	terms   terms
	weights []float64 // by unit
	sum     float64   // of the weights
	ideal   float64   // the text score and proximity of a perfect document
}

func newRanking(q terms, s *scorer) ranking {
	r := ranking{terms: q, weights: make([]float64, q.units), ideal: s.ideal}
	for i, t := range q.list {
		if t.unit >= 0 {
			r.weights[t.unit] = s.weights[i]
			r.sum += s.weights[i]
		}
	}
	for u := 1; u < len(r.weights); u++ {
		r.ideal += proximityWeight * math.Min(r.weights[u-1], r.weights[u])
	}
	return r
}

// score sets c.score, from 0 to 1.
func (r *ranking) score(c *candidate) {
	x := 0.0
	if r.ideal > 0 {
		x = math.Min(1, (c.text+c.proximity)/r.ideal)
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
}

// coverage is the share of the query's words that are covered, by weight.
func (r *ranking) coverage(units uint64) float64 {
	if r.sum == 0 {
		return 0
	}
	x := 0.0
	for u, w := range r.weights {
		if units&(1<<u) != 0 {
			x += w
		}
	}
	return x / r.sum
}

// best returns the first hits in order. It looks closely at some more than that.
func (r *ranking) best(list []candidate, limit int, s *scorer) []candidate {
	for i := range list {
		r.score(&list[i])
	}
	list = first(list, max(minWindow, 2*limit))
	if r.terms.units > 1 {
		parallel(len(list), func(i int) {
			c := &list[i]
			p := s.indexes[c.shard].slots[c.slot]
			c.proximity = proximityWeight * r.proximity(p.doc.texts[fieldText][p.start:p.end])
			r.score(c)
		})
	}
	slices.SortFunc(list, func(a, b candidate) int { return compareCandidates(&a, &b) })
	return list[:min(len(list), limit)]
}

// first returns the n first candidates, in no order: a heap whose root is the
// last of them.
func first(list []candidate, n int) []candidate {
	if len(list) <= n {
		return list
	}
	top := list[:n]
	for i := n/2 - 1; i >= 0; i-- {
		sink(top, i)
	}
	for i := n; i < len(list); i++ {
		if compareCandidates(&list[i], &top[0]) < 0 {
			top[0] = list[i]
			sink(top, 0)
		}
	}
	return top
}

// sink moves the candidate at i down to its place in the heap.
func sink(heap []candidate, i int) {
	for {
		child := 2*i + 1
		if child >= len(heap) {
			return
		}
		if child+1 < len(heap) && compareCandidates(&heap[child+1], &heap[child]) > 0 {
			child++
		}
		if compareCandidates(&heap[i], &heap[child]) >= 0 {
			return
		}
		heap[i], heap[child] = heap[child], heap[i]
		i = child
	}
}

// compareCandidates orders by score, then the newest first, then by id, then by
// scope.
func compareCandidates(a, b *candidate) int {
	if c := cmp.Compare(b.score, a.score); c != 0 {
		return c
	}
	if c := b.doc.updated.Compare(a.doc.updated); c != 0 {
		return c
	}
	return cmp.Or(cmp.Compare(a.doc.id, b.doc.id), cmp.Compare(a.shard, b.shard))
}
