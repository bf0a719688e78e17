package recall

import (
	"math/bits"
	"sort"
)

// Explanation says where a score comes from. Text, Proximity and Ideal are in
// the same unit. Their quotient (Text+Proximity)/Ideal, moved a little by Prior,
// orders the documents that have the same number of the query's words when these
// are few, and is reduced by the share of words that are missing when they are
// many.
type Explanation struct {
	Terms     []TermScore `json:"terms"`
	Matched   int         `json:"matched"`   // words of the query that were found
	Of        int         `json:"of"`        // words of the query
	Text      float64     `json:"text"`      // Σ of the terms, in the best passage
	Proximity float64     `json:"proximity"` // for words that stand near each other
	Ideal     float64     `json:"ideal"`     // of a document with all of it
	Prior     float64     `json:"prior"`     // importance and recency, 0 to 1
	// Session is for the whole conversation that a turn is of.
	Session float64 `json:"session,omitempty"`
	// Reading is for what the text of a turn tells: the words' forms, a time or a
	// number that was asked for, a question that it answers, or asks.
	Reading float64 `json:"reading,omitempty"`
	Passage Span    `json:"passage"` // the best passage, in bytes of the content
}

// TermScore is what one term of the query added to a passage.
type TermScore struct {
	Term   string  `json:"term"`   // as it stands in the index: folded, stemmed
	Weight float64 `json:"weight"` // how rare it is in the scopes searched
	Score  float64 `json:"score"`  // 0: it is not there
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

func (s *turnSearch) explain(p *turnPlace) *Explanation {
	e := &Explanation{
		Matched: bits.OnesCount64(p.units), Of: s.asked.units,
		Text: p.own, Proximity: p.proximity, Ideal: s.ideal,
		Session: s.tuning.session * s.session[p.row.process],
		Passage: Span{int(p.row.start), int(p.row.start + p.row.length)},
	}
	e.Reading = p.score - e.Text - e.Proximity - e.Session
	for i, t := range s.asked.list {
		score := TermScore{t.text, s.idf[i], 0}
		hits := s.hits[i]
		k := sort.Search(len(hits), func(k int) bool { return hits[k].slot >= p.slot })
		if k < len(hits) && hits[k].slot == p.slot {
			tf := float64(s.frequency(&hits[k]))
			score.Score = s.idf[i] * tf / (s.tuning.k1 + tf)
		}
		e.Terms = append(e.Terms, score)
	}
	return e
}
