package recall

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// turnHit is a term in a passage.
type turnHit struct {
	passage uint32
	tf      float32 // how often it is said, normalised by the passage's length
	field   uint8   // of the text
	spoken  bool    // it is the speaker's name
}

// turnScan scores every passage of an index by its own words and every
// conversation by all of them. The index is locked as long as it is in use.
type turnScan struct {
	tuning *tuning
	asked  *terms
	filter *Query
	*scratch

	snap  *postings.Snapshot
	table *turnTable

	mean      float64 // words of a passage
	meanWords float64 // of a conversation
	idf       []float64
	total     int       // turns that match; about, where their passages are more than maxCounted
	session   []float64 // by conversation: its score
	ideal     float64   // of a perfect passage
}

// scratch is the memory of a search, which the next one uses again.
type scratch struct {
	score   []float32 // by passage
	tf      []float32 // by conversation, of one term
	touched []uint32  // conversations that have the term
	fields  [turnTitle + 1][]turnHit
	hits    [][]turnHit // by term
}

var scratches = sync.Pool{New: func() any { return new(scratch) }}

// cleared returns s with n zeroes.
func cleared[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// run reads the postings of all terms.
func (s *turnScan) run(ctx context.Context) error {
	s.scratch.score = cleared(s.scratch.score, int(s.snap.Docs()))
	s.scratch.tf = cleared(s.scratch.tf, len(s.table.conversations))
	s.session = make([]float64, len(s.table.conversations))
	live, words := float64(s.table.live()), float64(s.table.words)
	s.mean = math.Max(1, words/math.Max(1, live))
	s.meanWords = math.Max(1, words/math.Max(1, float64(s.table.held)))
	for i, t := range s.asked.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		hits, err := s.term(i, t.text)
		if err != nil {
			return err
		}
		if len(hits) > 0 {
			s.asked.hold(&t)
		}
		idf := t.weight(live, len(hits))
		s.idf = append(s.idf, idf)
		s.addPassages(hits, idf)
		s.ideal += idf + s.tuning.session*s.addConversations(hits)
	}
	return nil
}

// term returns the passages that have a term, ascending.
func (s *turnScan) term(i int, text string) ([]turnHit, error) {
	if i == len(s.hits) {
		s.hits = append(s.hits, nil)
	}
	k, b := float32(1-s.tuning.b), float32(s.tuning.b/s.mean)
	for f := range turnFieldCount {
		list := s.fields[f][:0]
		err := s.snap.Each(text, f, func(passage, freq, length uint32) bool {
			if s.table.isRemoved(passage) {
				return true
			}
			h := turnHit{passage: passage, field: uint8(f)}
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
	s.titles(text)
	s.hits[i] = mergeFields(s.hits[i][:0], s.fields)
	return s.hits[i], nil
}

// titles adds the first passages of the conversations that have a term in their title.
func (s *turnScan) titles(text string) {
	list := s.fields[turnTitle][:0]
	text = " " + text + " "
	for i := range s.table.conversations {
		if c := &s.table.conversations[i]; c.lastRun >= 0 && !c.Removed && strings.Contains(c.Titled, text) {
			list = append(list, turnHit{passage: c.first, tf: float32(s.tuning.title)})
		}
	}
	slices.SortFunc(list, func(a, b turnHit) int { return cmp.Compare(a.passage, b.passage) })
	s.fields[turnTitle] = list
}

// mergeFields makes one list of those of the fields. A passage has one text.
func mergeFields(out []turnHit, fields [turnTitle + 1][]turnHit) []turnHit {
	for {
		best := -1
		for f := range fields {
			if len(fields[f]) > 0 && (best < 0 || fields[f][0].passage < fields[best][0].passage) {
				best = f
			}
		}
		if best < 0 {
			return out
		}
		h := fields[best][0]
		fields[best] = fields[best][1:]
		if n := len(out); n > 0 && out[n-1].passage == h.passage {
			out[n-1].spoken = out[n-1].spoken || h.spoken
			out[n-1].tf += h.tf
			continue
		}
		if h.spoken || h.field == turnTitle {
			h.field = turnUser // people have names
		}
		out = append(out, h)
	}
}

// frequency is how often a passage has a term by itself.
func (s *turnScan) frequency(h *turnHit) float32 {
	if h.spoken {
		return h.tf + float32(s.tuning.speaker)
	}
	return h.tf
}

// addPassages adds what a term is worth to the passages that have it.
func (s *turnScan) addPassages(hits []turnHit, idf float64) {
	k1 := float32(s.tuning.k1)
	var weights [turnFieldCount]float32
	for f, role := range [...]int{turnUser: 0, turnAssistant: 1, turnOther: 2} {
		weights[f] = float32(idf * s.tuning.roles[role])
	}
	for i := range hits {
		h := &hits[i]
		tf := s.frequency(h)
		s.scratch.score[h.passage] += weights[h.field] * tf / (k1 + tf)
	}
}

// addConversations adds what a term is worth to the conversations that have it,
// and returns its weight among conversations.
func (s *turnScan) addConversations(hits []turnHit) float64 {
	if len(hits) == 0 {
		return 0
	}
	s.touched = s.touched[:0]
	runs, at := s.table.runs, 0
	for i := range hits {
		h := &hits[i]
		for h.passage >= runs[at].first+runs[at].count {
			at++
		}
		c := runs[at].conversation
		if s.tf[c] == 0 {
			s.touched = append(s.touched, c)
		}
		s.tf[c] += s.frequency(h)
	}
	idf := inverse(float64(s.table.held), len(s.touched))
	for _, c := range s.touched {
		length := float64(s.table.conversations[c].Words) / s.meanWords
		tf := float64(s.tf[c]) / (1 - s.tuning.b + s.tuning.b*length)
		s.session[c] += idf * tf / (s.tuning.k1 + tf)
		s.tf[c] = 0
	}
	return idf
}

// scored is a passage and its score by its own words and its conversation.
type scored struct {
	passage uint32
	score   float32
}

// maxCounted is how many passages are counted as turns by their rows, which takes longer
// than to score them.
const maxCounted = 2_000

// best returns the passages that pass the filter and score best.
func (s *turnScan) best() []uint32 {
	list := top[scored]{size: s.tuning.scan, compare: func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.passage, b.passage))
	}}
	runs, at := s.table.runs, 0
	rows, matched, known := s.filter.needsRows(), 0, 0
	counted := [2]uint32{^uint32(0)} // conversation and turn: the passages of a turn follow each other
	for passage, x := range s.scratch.score {
		if x <= 0 {
			continue
		}
		for uint32(passage) >= runs[at].first+runs[at].count {
			at++
		}
		c := runs[at].conversation
		if !s.filter.passesConversation(&s.table.conversations[c]) {
			continue
		}
		if rows || matched < maxCounted {
			row := decodeRow(s.snap.Row(uint32(passage)))
			if rows && !s.filter.passesRow(&row) {
				continue
			}
			known++
			if turn := [2]uint32{c, row.turn}; turn != counted {
				counted = turn
				s.total++
			}
		}
		matched++
		list.add(scored{uint32(passage), x + float32(s.tuning.session*s.session[c])})
	}
	if matched > known { // as many passages a turn as among those that were counted
		s.total += (matched - known) * s.total / known
	}
	var out []uint32
	for _, x := range list.best() {
		out = append(out, x.passage)
	}
	return out
}

// needsRows reports whether a query says what only the rows of passages tell.
func (q *Query) needsRows() bool {
	return q.Role != "" || !q.Since.IsZero() || !q.Until.IsZero()
}

func (q *Query) passesConversation(c *conversation) bool {
	return !c.Removed && (q.Process == "" || q.Process == c.UUID) && (q.Agent == "" || q.Agent == c.Agent)
}

// passesRow keeps turns of unknown time only when no time was asked for.
func (q *Query) passesRow(r *turnRow) bool {
	if q.Role != "" && int(r.role) != slices.Index(roles[:], q.Role) {
		return false
	}
	at := r.clock()
	if at.IsZero() {
		return q.Since.IsZero() && q.Until.IsZero()
	}
	until := q.Until.Add(time.Second - 1).Truncate(time.Second) // rows have whole seconds
	return !at.Before(q.Since) && (q.Until.IsZero() || at.Before(until))
}
