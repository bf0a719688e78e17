package recall

import (
	"context"
	"math"
	"slices"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// turnHit is a term in a passage: how often, normalised by the passage's length,
// and how much of that is shared with the passages beside it.
type turnHit struct {
	slot        uint32
	tf, shared  float32
	assistantly uint8 // field
}

// turnSearch is one search of one index.
type turnSearch struct {
	c      *Conversations
	snap   postings.Snapshot
	table  *turnTable
	tuning *tuning
	asked  *terms
	filter *turnFilter

	mean                   float64 // words of a passage
	hits                   [][]turnHit
	idf                    []float64 // by term, of passages
	sidf                   []float64 // by term, of processes
	session                []float64 // by process: its score
	scratch                *scratch
	wantsTime, wantsNumber bool
}

// scratch is the memory of a search, which is used again.
type scratch struct {
	score  []float32 // by slot
	tf     []float32 // by process, of one term
	hits   []turnHit
	seen   []uint32
	packed [][]turnHit
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

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
	n := int(s.snap.Slots())
	s.scratch.score = cleared(s.scratch.score, n)
	s.session = make([]float64, len(s.table.processes))
	s.scratch.tf = cleared(s.scratch.tf, len(s.table.processes))
	total := uint64(0)
	for f := range turnSpeaker {
		total += s.snap.Total(f)
	}
	live := float64(s.snap.Live())
	s.mean = math.Max(1, float64(total)/math.Max(1, live))
	for i, t := range s.asked.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		hits, err := s.read(t.text)
		if err != nil {
			return err
		}
		df := float64(len(hits))
		idf := math.Pow(math.Log(1+(live-df+0.5)/(df+0.5)), s.tuning.idfPower)
		if t.unit < 0 && len(hits) == 0 {
			idf = 0 // it is written otherwise here, if at all: its parts speak for it
		}
		s.hits = append(s.hits, hits)
		s.idf = append(s.idf, idf)
		for _, h := range hits {
			w := idf * s.tuning.roles[h.assistantly]
			s.scratch.score[h.slot] += float32(w) * h.tf / (float32(s.tuning.k1) + h.tf)
		}
		s.sidf = append(s.sidf, s.processes(hits, i))
	}
	return nil
}

// read returns the passages that have a term, ascending.
func (s *turnSearch) read(text string) ([]turnHit, error) {
	var lists [turnFieldCount][]turnHit
	k, b := float32(1-s.tuning.b), float32(s.tuning.b/s.mean)
	for f := range turnFieldCount {
		var list []turnHit
		err := s.snap.Each(text, f, false, func(slot, freq uint32, _ []uint32) bool {
			h := turnHit{slot: slot, assistantly: uint8(f)}
			if f == turnSpeaker {
				h.tf = float32(s.tuning.speaker)
			} else {
				h.tf = float32(freq) / (k + b*float32(s.snap.Length(slot, f)))
				h.shared = h.tf
			}
			list = append(list, h)
			return true
		})
		if err != nil {
			return nil, err
		}
		lists[f] = list
	}
	return mergeHits(lists[:]), nil
}

// mergeHits makes one list of those of the fields.
func mergeHits(lists [][]turnHit) []turnHit {
	lists = slices.DeleteFunc(slices.Clone(lists), func(l []turnHit) bool { return len(l) == 0 })
	if len(lists) == 0 {
		return nil
	}
	out := lists[0]
	for _, l := range lists[1:] {
		out = mergeTwo(out, l)
	}
	return out
}

func mergeTwo(a, b []turnHit) []turnHit {
	out := make([]turnHit, 0, len(a)+len(b))
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case j == len(b) || i < len(a) && a[i].slot < b[j].slot:
			out = append(out, a[i])
			i++
		case i == len(a) || b[j].slot < a[i].slot:
			h := b[j]
			if h.assistantly == turnSpeaker {
				h.assistantly = turnUser
			}
			out = append(out, h)
			j++
		default:
			h := a[i]
			h.tf += b[j].tf
			h.shared += b[j].shared
			out = append(out, h)
			i++
			j++
		}
	}
	return out
}

// processes adds what a term is worth to the processes that have it, and returns
// its weight among processes.
func (s *turnSearch) processes(hits []turnHit, _ int) float64 {
	if len(hits) == 0 {
		return 0
	}
	tf := s.scratch.tf
	seen := s.scratch.seen[:0]
	runs := s.table.runs
	at := 0
	for _, h := range hits {
		for h.slot >= runs[at].first+runs[at].count {
			at++
		}
		p := runs[at].process
		if tf[p] == 0 {
			seen = append(seen, p)
		}
		tf[p] += h.tf * float32(s.tuning.roles[h.assistantly])
	}
	df := float64(len(seen))
	n := float64(s.table.live)
	idf := math.Log(1 + (n-df+0.5)/(df+0.5))
	words := int64(0)
	for i := range s.table.processes {
		words += s.table.processes[i].words
	}
	mean := math.Max(1, float64(words)/math.Max(1, n))
	for _, p := range seen {
		length := float64(s.table.processes[p].words) / mean
		x := float64(tf[p]) / (1 - s.tuning.b + s.tuning.b*length)
		s.session[p] += idf * x / (s.tuning.k1 + x)
		tf[p] = 0
	}
	s.scratch.seen = seen
	return idf
}
