package recall

import (
	"cmp"
	"slices"
	"sort"
	"time"
)

// turnCandidate is a passage that is scored in full.
type turnCandidate struct {
	slot       uint32
	row        turnRow
	prev, next int32 // those beside it among the candidates, or -1
	hidden     bool  // by the filter: it only speaks for those beside it
	units      uint64
	own        float64 // of its words, those beside it and its date
	proximity  float64
	score      float64
}

// candidates returns the passages that score best by their own words and their
// process, and two more on either side of each, by slot: a turn that answers a
// question may have none of its words, and needs the words of those beside it.
func (s *turnSearch) candidates() []turnCandidate {
	slots := s.bestSlots()
	for range 2 {
		for _, slot := range slots {
			prev, next := s.table.beside(slot)
			slots = append(slots, prev, next)
		}
		slices.Sort(slots)
		slots = slices.Compact(slots)
		if n := len(slots); n > 0 && slots[n-1] == noSlot {
			slots = slots[:n-1]
		}
	}
	list := make([]turnCandidate, 0, len(slots))
	at := make(map[uint32]int32, len(slots))
	for _, slot := range slots {
		if s.snap.Deleted(slot) {
			continue
		}
		row := decodeRow(s.snap.Row(slot))
		at[slot] = int32(len(list))
		hidden := !s.passesProcess(row.process) || !s.passesRow(&row)
		list = append(list, turnCandidate{slot: slot, row: row, prev: -1, next: -1, hidden: hidden})
	}
	for i := range list {
		prev, next := s.table.beside(list[i].slot)
		if k, ok := at[prev]; ok {
			list[i].prev = k
		}
		if k, ok := at[next]; ok {
			list[i].next = k
		}
	}
	return list
}

// slotScore is a passage and its score by its own words.
type slotScore struct {
	slot  uint32
	score float32
}

// bestSlots returns the passages that pass the filter and score best.
func (s *turnSearch) bestSlots() []uint32 {
	top := make([]slotScore, 0, s.tuning.scan+1)
	runs, at, full := s.table.runs, 0, false
	rows := s.filter.needsRows()
	least := float32(0)
	for slot, x := range s.scratch.score {
		if x <= 0 {
			continue
		}
		for uint32(slot) >= runs[at].first+runs[at].count {
			at++
		}
		p := runs[at].process
		if !s.passesProcess(p) {
			continue
		}
		if rows {
			row := decodeRow(s.snap.Row(uint32(slot)))
			if !s.passesRow(&row) {
				continue
			}
		}
		s.total++
		x += float32(s.tuning.session * s.session[p])
		if full && x <= least {
			continue
		}
		top = append(top, slotScore{uint32(slot), x})
		if len(top) >= 2*s.tuning.scan {
			top = bestOf(top, s.tuning.scan)
			full, least = true, top[len(top)-1].score
		}
	}
	top = bestOf(top, s.tuning.scan)
	slots := make([]uint32, len(top))
	for i, x := range top {
		slots[i] = x.slot
	}
	return slots
}

// bestOf sorts and cuts.
func bestOf(list []slotScore, n int) []slotScore {
	slices.SortFunc(list, func(a, b slotScore) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.slot, b.slot))
	})
	return list[:min(n, len(list))]
}

// frequencies returns how often the candidates have the terms by themselves, and
// how much of that they share with those beside them, by candidate and term. Who
// speaks is not shared.
func (s *turnSearch) frequencies(list []turnCandidate) (own, shared []float32) {
	n := len(s.asked.list)
	own, shared = make([]float32, len(list)*n), make([]float32, len(list)*n)
	for t := range n {
		hits := s.hits[t]
		for i := range list {
			slot := list[i].slot
			k := sort.Search(len(hits), func(k int) bool { return hits[k].slot >= slot })
			hits = hits[k:]
			if len(hits) > 0 && hits[0].slot == slot {
				own[i*n+t], shared[i*n+t] = s.frequency(&hits[0]), hits[0].tf
			}
		}
	}
	return own, shared
}

// score scores the candidates by all that the index knows.
func (s *turnSearch) score(list []turnCandidate) {
	n := len(s.asked.list)
	own, shared := s.frequencies(list)
	dates := s.asked.dates()
	for i := range list {
		c := &list[i]
		x := 0.0
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
			x += s.idf[t] * tf / (s.tuning.k1 + tf)
		}
		c.own = x * s.worth(&c.row)
	}
	for i := range list {
		c := &list[i]
		if c.units == 0 {
			c.own = min(c.own, borrowed*max(ownOf(list, c.prev), ownOf(list, c.next)))
		}
		c.score = c.own + s.tuning.session*s.session[c.row.process]
	}
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

// worth is what a passage counts whatever its words are.
func (s *turnSearch) worth(r *turnRow) float64 {
	words := float64(r.length) / bytesPerWord
	return s.tuning.roles[r.role] * words / (words + s.tuning.short)
}

// turnFilter says which turns a query is about at all.
type turnFilter struct {
	q    *Query
	role int // number, or -1
}

func newTurnFilter(q *Query) *turnFilter {
	f := &turnFilter{q: q, role: -1}
	if q.Role != "" {
		f.role = slices.Index(roles[:], q.Role)
	}
	return f
}

func (f *turnFilter) needsRows() bool {
	return f.q.Role != "" || !f.q.Since.IsZero() || !f.q.Until.IsZero()
}

func (s *turnSearch) passesProcess(o uint32) bool {
	h := &s.table.processes[o]
	q := s.filter.q
	return !h.removed && (q.Process == "" || q.Process == h.uuid) && (q.Agent == "" || q.Agent == h.agent)
}

// passesRow keeps turns of unknown time only when no time was asked for.
func (s *turnSearch) passesRow(r *turnRow) bool {
	q := s.filter.q
	if q.Role != "" && int(r.role) != s.filter.role {
		return false
	}
	at := r.clock()
	return (q.Since.IsZero() || !at.IsZero() && !at.Before(q.Since)) && (q.Until.IsZero() || !at.IsZero() && at.Before(q.Until.Truncate(time.Second).Add(ceil(q.Until))))
}

// ceil is a second when t lies behind a full one: rows have whole seconds.
func ceil(t time.Time) time.Duration {
	if t.Nanosecond() > 0 {
		return time.Second
	}
	return 0
}
