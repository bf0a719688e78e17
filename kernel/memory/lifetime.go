package memory

import (
	"cmp"
	"maps"
	"slices"
	"sync"
	"time"
)

// Never is the expiry of an entry whose lifetime no row bounds.
var Never = time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC)

// Lifetimes says when the entries of a scope end, and what becomes of them: the cells of
// the scope's row and of the categories' that hold now.
type Lifetimes struct {
	Lifetime   time.Duration // of an entry that nothing else bounds; 0: for ever
	Then       Then
	Categories Categories
	Spare      func(id string) bool // entries that stay as they are for now; may be nil
}

// End is when an entry ends, counted from its last change; zero: never. What the entry
// says of itself comes first.
func (l *Lifetimes) End(e *Entry) (end time.Time) {
	row := l.Categories.Of(e.Category)
	lifetime := cmp.Or(row.Lifetime, l.Lifetime)
	switch {
	case e.Archived || e.Expires != nil && e.Expires.Year() >= Never.Year():
	case e.Expires != nil:
		end = *e.Expires
	case lifetime > 0:
		end = e.Updated.Add(lifetime)
	}
	return end
}

// Dated is the entry with the time at which it ends, none where it never does.
func (l *Lifetimes) Dated(e *Entry) *Entry {
	end := l.End(e)
	if e.Expires == nil && end.IsZero() {
		return e
	}
	e = e.Clone()
	if e.Expires = &end; end.IsZero() {
		e.Expires = nil
	}
	return e
}

// Fate is what has become of an entry.
type Fate int

// What has become of it.
const (
	Lives    Fate = iota
	Archived      // it is found by searches and by its name, and not shown otherwise
	Gone
)

// Fate says what has become of an entry at the time now, swept or not.
func (l *Lifetimes) Fate(e *Entry, now time.Time) Fate {
	end := l.End(e)
	switch {
	case e.Archived:
		return Archived
	case end.IsZero() || now.Before(end):
		return Lives
	case cmp.Or(l.Categories.Of(e.Category).Then, l.Then) == ThenArchive:
		return Archived
	}
	return Gone
}

// alike reports whether entries end at the same times by l and m.
func (l *Lifetimes) alike(m *Lifetimes) bool {
	return l.Lifetime == m.Lifetime && maps.EqualFunc(l.Categories, m.Categories, func(a, b Category) bool { return a.Lifetime == b.Lifetime })
}

// copy is l as it is now, to be held against a later one.
func (l *Lifetimes) copy() Lifetimes {
	return Lifetimes{Lifetime: l.Lifetime, Categories: maps.Clone(l.Categories)}
}

// ended returns the entries whose time is over, by their ids, and learns when the next
// one ends, such that a change looks at all of them once an entry has ended only.
func (st *State) ended(l *Lifetimes, now time.Time) (over []*Entry) {
	if !l.alike(&st.lifetimes) {
		st.lifetimes, st.next = l.copy(), time.Time{}
	}
	if now.Before(st.next) {
		return nil
	}
	st.next = Never
	for _, e := range st.entries {
		st.expect(e)
		if l.Fate(e, now) != Lives && !e.Archived && (l.Spare == nil || !l.Spare(e.ID)) {
			over = append(over, e)
		}
	}
	slices.SortFunc(over, func(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) })
	return over
}

// expect notes when an entry ends.
func (st *State) expect(e *Entry) {
	if end := st.lifetimes.End(e); !end.IsZero() && end.Before(st.next) {
		st.next = end
	}
}

// liveView is what lives of a view, until the next of its entries ends: a folder of many
// entries is looked at for each of its files.
type liveView struct {
	mu    sync.Mutex
	view  View
	by    Lifetimes
	until time.Time // zero: the view is not known
}

// Live returns the view without the entries that are gone at the time now; all: with
// those that are archived.
func (v View) Live(l *Lifetimes, now time.Time, all bool) View {
	if v.live == nil || all {
		v, _ = v.without(l, now, all)
		return v
	}
	k := v.live
	k.mu.Lock()
	defer k.mu.Unlock()
	if !now.Before(k.until) || !l.alike(&k.by) {
		k.by = l.copy()
		k.view, k.until = v.without(l, now, all)
	}
	return k.view
}

// without is Live, and until when it holds: there is no way back in time.
func (v View) without(l *Lifetimes, now time.Time, all bool) (out View, until time.Time) {
	out, until = v, Never
	out.live = nil
	same := true
	for i, e := range v.Entries {
		fate := l.Fate(e, now)
		if end := l.End(e); fate == Lives && !end.IsZero() && end.Before(until) {
			until = end
		}
		if fate != Lives && !e.Archived {
			out.Used -= e.Runes()
			out.Count--
		}
		switch shown := fate == Lives || all && fate == Archived; {
		case same && !shown:
			out.Entries, same = slices.Clone(v.Entries[:i]), false
		case !same && shown:
			out.Entries = append(out.Entries, e)
		}
	}
	out.Entries = slices.Clip(out.Entries) // several have it
	return out, until
}
