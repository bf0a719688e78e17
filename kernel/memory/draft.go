package memory

import "slices"

// draft is a state with the steps taken so far laid over it.
type draft struct {
	st        *State
	ch        Change
	used      size
	steps     []Step
	shadowed  map[string]bool     // ids whose entry in st no longer counts
	live      map[string]*Entry   // their new versions, and new entries
	liveKey   map[string]*Entry   // live by key
	liveText  map[string][]*Entry // live by content
	untouched []*Entry            // eviction candidates in order, filled on first need
}

func newDraft(st *State, ch Change) *draft {
	return &draft{
		st: st, ch: ch, used: size{st.used, st.kept},
		shadowed: map[string]bool{},
		live:     map[string]*Entry{},
		liveKey:  map[string]*Entry{},
		liveText: map[string][]*Entry{},
	}
}

func (d *draft) step(a Action, before, after *Entry) {
	d.steps = append(d.steps, Step{Action: a, Before: before, After: after, By: d.ch.Actor, At: d.ch.At})
	grown := growth(before, after)
	d.used.runes, d.used.entries = d.used.runes+grown.runes, d.used.entries+grown.entries
	if before != nil {
		d.shadowed[before.ID] = true
		if d.live[before.ID] == before {
			delete(d.live, before.ID)
			delete(d.liveKey, before.Key)
			d.liveText[before.Content] = slices.DeleteFunc(d.liveText[before.Content], func(e *Entry) bool { return e == before })
		}
	}
	if after != nil {
		d.live[after.ID] = after
		d.liveKey[after.Key] = after
		d.liveText[after.Content] = append(d.liveText[after.Content], after)
	}
}

func (d *draft) byID(id string) *Entry {
	if e := d.live[id]; e != nil {
		return e
	}
	return d.unlessShadowed(d.st.byID[id])
}

func (d *draft) byKey(key string) *Entry {
	if e := d.liveKey[key]; e != nil {
		return e
	}
	return d.unlessShadowed(d.st.byKey[key])
}

// byContent returns the entries with the content, oldest first.
func (d *draft) byContent(content string) []*Entry {
	var same []*Entry
	for _, e := range d.st.byContent[content] {
		if !d.shadowed[e.ID] {
			same = append(same, e)
		}
	}
	return append(same, d.liveText[content]...)
}

func (d *draft) unlessShadowed(e *Entry) *Entry {
	if e == nil || d.shadowed[e.ID] {
		return nil
	}
	return e
}

func (d *draft) freeKey(base string) string {
	if d.byKey(base) == nil {
		return base
	}
	for n := max(d.st.suffix[base], 1) + 1; ; n++ {
		if k := numberedKey(base, n); d.byKey(k) == nil {
			d.st.suffix[base] = n // a hint only: where to look first the next time
			return k
		}
	}
}
