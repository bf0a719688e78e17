package recall

import (
	"cmp"
	"math"
	"slices"
	"sort"
)

// turnCandidate is a passage that is scored in full.
type turnCandidate struct {
	slot       uint32
	row        turnRow
	prev, next int32   // its neighbours among the candidates, or -1
	own        float64 // of its words and those of its neighbours
	score      float64
	units      uint64
	proximity  float64
	nextSlot   uint32
}

// candidates returns the passages that score best by themselves and those beside
// them, by slot.
func (s *turnSearch) candidates() []turnCandidate {
	slots := s.bestSlots()
	for range 2 {
		for _, slot := range slots {
			prev, next := s.table.beside(slot)
			if prev != noSlot {
				slots = append(slots, prev)
			}
			if next != noSlot {
				slots = append(slots, next)
			}
		}
		slices.Sort(slots)
		slots = slices.Compact(slots)
	}
	list := make([]turnCandidate, 0, len(slots))
	at := make(map[uint32]int32, len(slots))
	for _, slot := range slots {
		if s.snap.Deleted(slot) {
			continue
		}
		at[slot] = int32(len(list))
		list = append(list, turnCandidate{slot: slot, row: decodeRow(s.snap.Row(slot)), prev: -1, next: -1})
	}
	for i := range list {
		prev, next := s.table.beside(list[i].slot)
		list[i].nextSlot = next
		if j, ok := at[prev]; ok {
			list[i].prev = j
		}
		if j, ok := at[next]; ok {
			list[i].next = j
		}
	}
	return list
}

// bestSlots returns the passages that score best by their own words and their
// process.
func (s *turnSearch) bestSlots() []uint32 {
	type scored struct {
		slot  uint32
		score float32
	}
	var all []scored
	runs, at := s.table.runs, 0
	for slot, x := range s.scratch.score {
		if x <= 0 {
			continue
		}
		for uint32(slot) >= runs[at].first+runs[at].count {
			at++
		}
		all = append(all, scored{uint32(slot), x + float32(s.tuning.session*s.session[runs[at].process])})
	}
	if len(all) > s.tuning.scan {
		slices.SortFunc(all, func(a, b scored) int {
			return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.slot, a.slot))
		})
		all = all[:s.tuning.scan]
	}
	slots := make([]uint32, len(all))
	for i, x := range all {
		slots[i] = x.slot
	}
	slices.Sort(slots)
	return slots
}

// score scores the candidates by their words, those beside them, and the
// process.
func (s *turnSearch) score(list []turnCandidate) {
	n := len(s.asked.list)
	tf := make([]float32, len(list)*n)
	shared := make([]float32, len(list)*n)
	for t, hits := range s.hits {
		at := 0
		for i := range list {
			slot := list[i].slot
			at += sort.Search(len(hits)-at, func(k int) bool { return hits[at+k].slot >= slot })
			if at == len(hits) {
				break
			}
			if hits[at].slot == slot {
				tf[i*n+t], shared[i*n+t] = hits[at].tf, hits[at].shared
			}
		}
	}
	dates := s.dateTerms(list)
	own := make([]float64, len(list))
	for i := range list {
		c := &list[i]
		x := 0.0
		for t := range n {
			f := float64(tf[i*n+t])
			if f > 0 {
				c.units |= s.asked.list[t].units
			}
			if c.prev >= 0 {
				f += s.tuning.before * float64(shared[int(c.prev)*n+t])
			}
			if c.next >= 0 {
				f += s.tuning.behind * float64(shared[int(c.next)*n+t])
			}
			if dates != nil {
				f += dates[i*n+t]
			}
			x += s.idf[t] * f / (s.tuning.k1 + f)
		}
		own[i] = x * s.tuning.roles[c.row.role]
	}
	for i := range list {
		c := &list[i]
		c.own = own[i]
		c.score = own[i]
		if c.prev >= 0 {
			c.score += s.tuning.propagate * own[c.prev]
		}
		if c.next >= 0 {
			c.score += s.tuning.propagate * own[c.next]
		}
		c.score += s.tuning.session * s.session[c.row.process]
	}
}

// dateTerms returns what the dates of the candidates count as words of the
// query, by candidate and term, or nil when the query names no date.
func (s *turnSearch) dateTerms(list []turnCandidate) []float64 {
	n := len(s.asked.list)
	dates := s.asked.dates()
	if dates == nil || s.tuning.dates == 0 {
		return nil
	}
	out := make([]float64, len(list)*n)
	for i := range list {
		at := list[i].row.clock()
		if at.IsZero() {
			continue
		}
		for t, d := range dates {
			if d.matches(at) {
				out[i*n+t] = s.tuning.dates
			}
		}
	}
	return out
}

// order sorts candidates: the best first, then the newest, then as their
// processes are named.
func (s *turnSearch) order(list []turnCandidate) {
	slices.SortFunc(list, func(a, b turnCandidate) int {
		return cmp.Or(
			cmp.Compare(b.score, a.score),
			cmp.Compare(b.row.time, a.row.time),
			cmp.Compare(s.table.processes[a.row.process].uuid, s.table.processes[b.row.process].uuid),
			cmp.Compare(a.row.turn, b.row.turn),
			cmp.Compare(a.row.passage, b.row.passage),
		)
	})
}

var _ = math.Abs

func sortPlaces(s *turnSearch, places []turnPlace) {
	slices.SortFunc(places, func(x, y turnPlace) int {
		a, b := &x.candidate, &y.candidate
		return cmp.Or(
			cmp.Compare(b.score, a.score),
			cmp.Compare(b.row.time, a.row.time),
			cmp.Compare(x.process.uuid, y.process.uuid),
			cmp.Compare(a.row.turn, b.row.turn),
			cmp.Compare(a.row.passage, b.row.passage),
		)
	})
}
