package recall

import (
	"math/bits"
	"slices"
	"sort"
)

// turnCandidate is a passage that is scored in full.
type turnCandidate struct {
	passage    uint32
	row        turnRow
	prev, next int32 // those beside it among the candidates, or -1
	hidden     bool  // by the filter: it only speaks for those beside it
	units      uint64
	own        float64 // of its words, those beside it and its date
	score      float64
}

// candidates returns the best passages, and two more on either side of each, in
// their order, scored by all that the index knows: a turn that answers a question
// may have none of its words, and needs the words of those beside it.
func (s *turnScan) candidates() []turnCandidate {
	passages := s.best()
	for range 2 {
		for _, p := range passages {
			prev, next := s.table.beside(p)
			passages = append(passages, prev, next)
		}
		slices.Sort(passages)
		passages = slices.Compact(passages)
		if n := len(passages); n > 0 && passages[n-1] == noPassage {
			passages = passages[:n-1]
		}
	}
	list := make([]turnCandidate, len(passages))
	at := make(map[uint32]int32, len(passages))
	for i, p := range passages {
		at[p] = int32(i)
		row := decodeRow(s.snap.Row(p))
		hidden := !s.filter.passesConversation(&s.table.conversations[row.conversation]) || !s.filter.passesRow(&row)
		list[i] = turnCandidate{passage: p, row: row, prev: -1, next: -1, hidden: hidden}
	}
	for i := range list {
		prev, next := s.table.beside(list[i].passage)
		if k, ok := at[prev]; ok {
			list[i].prev = k
		}
		if k, ok := at[next]; ok {
			list[i].next = k
		}
	}
	s.score(list)
	return list
}

// score scores the candidates by all that the index knows.
func (s *turnScan) score(list []turnCandidate) {
	n := len(s.asked.list)
	own, shared := s.frequencies(list)
	dates := s.asked.dates()
	for i := range list {
		c := &list[i]
		x, whole := 0.0, 0.0
		for t := range n {
			tf := float64(own[i*n+t])
			if tf > 0 {
				c.units |= s.asked.list[t].units
			}
			if c.prev >= 0 {
				tf += s.tuning.neighbours * float64(shared[int(c.prev)*n+t])
			}
			if c.next >= 0 {
				tf += s.tuning.neighbours * float64(shared[int(c.next)*n+t])
			}
			if dates != nil && dates[t].matches(c.row.clock()) {
				tf += s.tuning.dates
			}
			y := s.idf[t] * tf / (s.tuning.k1 + tf)
			if s.asked.list[t].unit < 0 {
				whole += y // a name that was asked for says enough by itself
			} else {
				x += y
			}
		}
		c.own = s.tuning.roles[c.row.role] * (x*s.tuning.worth(&c.row) + whole)
	}
	for i := range list {
		c := &list[i]
		if c.units == 0 {
			c.own = min(c.own, borrowed*max(ownOf(list, c.prev), ownOf(list, c.next)))
		}
		c.score = c.own + s.tuning.session*s.session[c.row.conversation]
	}
}

// frequencies returns how often the candidates have the terms by themselves, and
// how much of that they share with those beside them, by candidate and term. Who
// speaks is not shared.
func (s *turnScan) frequencies(list []turnCandidate) (own, shared []float32) {
	n := len(s.asked.list)
	own, shared = make([]float32, len(list)*n), make([]float32, len(list)*n)
	for t := range n {
		hits := s.hits[t]
		for i := range list {
			hits = hits[hitFrom(hits, list[i].passage):]
			if len(hits) > 0 && hits[0].passage == list[i].passage {
				own[i*n+t], shared[i*n+t] = s.frequency(&hits[0]), hits[0].tf
			}
		}
	}
	return own, shared
}

// hitFrom returns the index of the first hit that is not before a passage.
func hitFrom(hits []turnHit, passage uint32) int {
	return sort.Search(len(hits), func(k int) bool { return hits[k].passage >= passage })
}

// borrowed bounds what a passage with none of the words is worth, in parts of the
// one beside it that has them: before their text is read, it comes behind.
const borrowed = 0.95

// ownOf is what a candidate with words of the query is worth by itself.
func ownOf(list []turnCandidate, i int32) float64 {
	if i < 0 || list[i].units == 0 {
		return 0
	}
	return list[i].own
}

// bytesPerWord is the mean of English, a space included.
const bytesPerWord = 6

// worth is what the words of a passage count, by its length alone.
func (t *tuning) worth(r *turnRow) float64 {
	words := float64(r.length) / bytesPerWord
	return words / (words + t.short)
}

// explain says where the score of a passage comes from.
func (s *turnScan) explain(p *turnCandidate) *Explanation {
	e := &Explanation{
		Matched: bits.OnesCount64(p.units), Of: s.asked.units,
		Text: p.own, Ideal: s.ideal,
		Session: s.tuning.session * s.session[p.row.conversation],
		Passage: p.row.span(),
	}
	e.Reading = p.score - e.Text - e.Session
	for i, t := range s.asked.list {
		score := TermScore{t.text, s.idf[i], 0}
		hits := s.hits[i]
		if k := hitFrom(hits, p.passage); k < len(hits) && hits[k].passage == p.passage {
			tf := float64(s.frequency(&hits[k]))
			score.Score = s.idf[i] * tf / (s.tuning.k1 + tf)
		}
		e.Terms = append(e.Terms, score)
	}
	return e
}
