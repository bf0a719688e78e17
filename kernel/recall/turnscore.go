package recall

import (
	"context"
	"math"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// turnHit is a term in a passage.
type turnHit struct {
	slot   uint32
	tf     float32 // how often it is said, normalised by the passage's length
	field  uint8   // of the text
	spoken bool    // it is the name of who speaks
}

// turnSearch is one search of one index, in three steps, each of which looks
// closer at less: scan scores all passages by their own words, score the best of
// those by all that the index knows, and reread the best of those by their text.
type turnSearch struct {
	c      *Conversations
	tuning *tuning
	asked  *terms
	want   kinds
	filter *turnFilter
	*scratch

	snap  postings.Snapshot // while the index is locked
	table *turnTable        // while the index is locked

	mean      float64 // words of a passage
	meanWords float64 // of a process
	idf       []float64
	total     int       // passages that match
	session   []float64 // by process: its score
	ideal     float64   // of a perfect passage
}

// scratch is the memory of a search, which the next one uses again.
type scratch struct {
	score   []float32 // by slot
	tf      []float32 // by process, of one term
	touched []uint32  // processes that have the term
	fields  [turnFieldCount][]turnHit
	hits    [][]turnHit // by term
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// cleared returns s with n zeroes.
func cleared[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n, n+n/8)
	}
	s = s[:n]
	clear(s)
	return s
}

// scan reads the postings of all terms: it scores every passage by its own words
// and every process by all of them.
func (s *turnSearch) scan(ctx context.Context) error {
	s.scratch.score = cleared(s.scratch.score, int(s.snap.Slots()))
	s.scratch.tf = cleared(s.scratch.tf, len(s.table.processes))
	s.session = make([]float64, len(s.table.processes))
	total := uint64(0)
	for f := range turnSpeaker {
		total += s.snap.Total(f)
	}
	live := float64(s.snap.Live())
	s.mean = math.Max(1, float64(total)/math.Max(1, live))
	s.meanWords = math.Max(1, float64(total)/math.Max(1, float64(s.table.live)))
	for i, t := range s.asked.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		hits, err := s.term(i, t.text)
		if err != nil {
			return err
		}
		idf := inverse(live, len(hits))
		if t.unit < 0 && len(hits) == 0 {
			idf = 0 // it is written otherwise here, if at all: its parts speak for it
		}
		s.idf = append(s.idf, idf)
		s.passages(hits, idf)
		sidf := s.processes(hits)
		s.ideal += idf + s.tuning.session*sidf
	}
	return nil
}

// inverse is how much a term says that n of the documents have.
func inverse(documents float64, n int) float64 {
	return math.Log(1 + math.Max(0, documents-float64(n)+0.5)/(float64(n)+0.5))
}

// term returns the passages that have a term, ascending.
func (s *turnSearch) term(i int, text string) ([]turnHit, error) {
	k, b := float32(1-s.tuning.b), float32(s.tuning.b/s.mean)
	for f := range turnFieldCount {
		list := s.fields[f][:0]
		err := s.snap.EachLength(text, f, func(slot, freq, length uint32) bool {
			h := turnHit{slot: slot, field: uint8(f)}
			if h.spoken = f == turnSpeaker; !h.spoken {
				h.tf = float32(freq) / (k + b*float32(length))
			}
			list = append(list, h)
			return true
		})
		s.fields[f] = list
		if err != nil {
			return nil, err
		}
	}
	if i == len(s.hits) {
		s.hits = append(s.hits, nil)
	}
	s.hits[i] = merge(s.hits[i][:0], s.fields)
	return s.hits[i], nil
}

// merge makes one list of those of the fields. A passage has one text.
func merge(out []turnHit, fields [turnFieldCount][]turnHit) []turnHit {
	for {
		best := -1
		for f := range fields {
			if len(fields[f]) > 0 && (best < 0 || fields[f][0].slot < fields[best][0].slot) {
				best = f
			}
		}
		if best < 0 {
			return out
		}
		h := fields[best][0]
		fields[best] = fields[best][1:]
		if n := len(out); n > 0 && out[n-1].slot == h.slot {
			out[n-1].spoken = true
			continue
		}
		if h.spoken {
			h.field = turnUser // people have names
		}
		out = append(out, h)
	}
}

// frequency is how often a passage has a term by itself.
func (s *turnSearch) frequency(h *turnHit) float32 {
	if h.spoken {
		return h.tf + float32(s.tuning.speaker)
	}
	return h.tf
}

// passages adds what a term is worth to the passages that have it.
func (s *turnSearch) passages(hits []turnHit, idf float64) {
	k1 := float32(s.tuning.k1)
	var weights [turnFieldCount]float32
	for f, role := range [...]int{turnUser: 0, turnAssistant: 1, turnOther: 2} {
		weights[f] = float32(idf * s.tuning.roles[role])
	}
	for i := range hits {
		h := &hits[i]
		tf := s.frequency(h)
		s.scratch.score[h.slot] += weights[h.field] * tf / (k1 + tf)
	}
}

// processes adds what a term is worth to the processes that have it, and returns
// its weight among processes.
func (s *turnSearch) processes(hits []turnHit) float64 {
	if len(hits) == 0 {
		return 0
	}
	s.touched = s.touched[:0]
	runs, at := s.table.runs, 0
	for i := range hits {
		h := &hits[i]
		for h.slot >= runs[at].first+runs[at].count {
			at++
		}
		p := runs[at].process
		if s.tf[p] == 0 {
			s.touched = append(s.touched, p)
		}
		s.tf[p] += s.frequency(h)
	}
	idf := inverse(float64(s.table.live), len(s.touched))
	for _, p := range s.touched {
		length := float64(s.table.processes[p].words) / s.meanWords
		tf := float64(s.tf[p]) / (1 - s.tuning.b + s.tuning.b*length)
		s.session[p] += idf * tf / (s.tuning.k1 + tf)
		s.tf[p] = 0
	}
	return idf
}
