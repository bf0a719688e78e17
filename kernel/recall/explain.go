package recall

import "math/bits"

// Explanation says where a score comes from. Text, Proximity and Ideal are in
// the same unit. Their quotient (Text+Proximity)/Ideal, moved a little by Prior,
// orders the documents that have the same number of the query's words when these
// are few, and is reduced by the share of words that are missing when they are
// many.
type Explanation struct {
	Terms     []TermScore
	Matched   int     // words of the query that were found
	Of        int     // words of the query
	Text      float64 // Σ of the terms, in the best passage
	Proximity float64 // for words that stand near each other
	Ideal     float64 // of a document with all of it
	Prior     float64 // importance and recency, 0 to 1
	Passage   Span    // the best passage, in bytes of the content
}

// TermScore is what one term of the query added to a passage.
type TermScore struct {
	Term   string  // as it stands in the index: folded, stemmed
	Weight float64 // how rare it is in the scopes searched
	Score  float64 // 0: it is not there
}

func (r *ranking) explain(c *candidate, s *scorer) *Explanation {
	p := s.indexes[c.shard].slots[c.slot]
	e := &Explanation{
		Matched: bits.OnesCount64(c.units), Of: r.terms.units,
		Text: c.text, Proximity: c.proximity, Ideal: r.ideal, Prior: c.prior,
		Passage: Span{int(p.start), int(p.end)},
	}
	for i, t := range r.terms.list {
		e.Terms = append(e.Terms, TermScore{t.text, s.weights[i], s.terms[i][c.shard][c.slot]})
	}
	return e
}
