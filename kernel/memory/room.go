package memory

import (
	"cmp"
	"slices"
)

// fit makes room for grow more runes and entries by the scope's policy, or refuses.
// The entry being written is never evicted for itself.
func (d *draft) fit(op string, grow size, self string) error {
	var freed size
	over := d.over(grow, freed)
	if over == "" {
		return nil
	}
	if overflow := d.ch.Limit.Overflow; overflow != OverflowFIFO && overflow != OverflowRelevance {
		return d.overLimit(op, over, grow)
	}
	var victims []*Entry
	for _, e := range d.candidates() {
		if d.over(grow, freed) == "" {
			break
		}
		if e.ID == self || d.shadowed[e.ID] {
			continue
		}
		victims = append(victims, e)
		freed.runes += e.Runes()
		freed.entries++
	}
	if over := d.over(grow, freed); over != "" {
		return d.overLimit(op, over, grow)
	}
	for _, e := range victims {
		d.step(ActionEvict, e, nil)
	}
	return nil
}

// size is how much a change adds.
type size struct{ runes, entries int }

// growth is what a change of an entry adds, or takes. What is archived counts nothing.
func growth(before, after *Entry) (s size) {
	if after != nil && !after.Archived {
		s = size{after.Runes(), 1}
	}
	if before != nil && !before.Archived {
		s = size{s.runes - before.Runes(), s.entries - 1}
	}
	return s
}

// Grown is how many runes more a scope has after the steps.
func Grown(steps []Step) (runes int) {
	for _, s := range steps {
		runes += growth(s.Before, s.After).runes
	}
	return runes
}

// over says which limit does not hold grow more once something is freed: "chars",
// "entries" or "". What does not grow always fits.
func (d *draft) over(grow, freed size) string {
	limit := d.ch.Limit
	switch {
	case grow.runes > 0 && d.used.runes+grow.runes-freed.runes > limit.Runes:
		return "chars"
	case grow.entries > 0 && limit.Entries > 0 && d.used.entries+grow.entries-freed.entries > limit.Entries:
		return "entries"
	}
	return ""
}

func (d *draft) overLimit(op, which string, grow size) error {
	if which == "entries" {
		return Errorf(KindOverLimit, op, "memory capacity limit exceeded: %d entries, limit=%d entries", d.used.entries, d.ch.Limit.Entries)
	}
	return Errorf(KindOverLimit, op, "memory capacity limit exceeded: used=%d, limit=%d, needed=%d additional chars", d.used.runes, d.ch.Limit.Runes, grow.runes)
}

// candidates returns the entries that may be evicted, first to go first: neither
// pinned nor touched by this change.
func (d *draft) candidates() []*Entry {
	if d.untouched != nil {
		return d.untouched
	}
	d.untouched = []*Entry{}
	for _, e := range d.st.entries {
		if !e.Pinned && !e.Archived {
			d.untouched = append(d.untouched, e)
		}
	}
	byAge := func(a, b *Entry) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	}
	if score := d.ch.Limit.Score; d.ch.Limit.Overflow == OverflowRelevance {
		slices.SortFunc(d.untouched, func(a, b *Entry) int {
			return cmp.Or(cmp.Compare(score.Relevance(a, d.ch.At), score.Relevance(b, d.ch.At)), byAge(a, b))
		})
	} else {
		slices.SortFunc(d.untouched, byAge)
	}
	return d.untouched
}
