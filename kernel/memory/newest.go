package memory

import (
	"cmp"
	"slices"
)

// maxNewest is how many of the last entries a view names: as many as a new text is
// looked at together with.
const maxNewest = 64

func older(a, b *Entry) int {
	return cmp.Or(a.Updated.Compare(b.Updated), cmp.Compare(a.ID, b.ID))
}

// newest returns the entries that were written last, in that order.
func newest(entries []*Entry) []*Entry {
	out := make([]*Entry, 0, maxNewest+1)
	for _, e := range slices.Backward(entries) { // most stand in that order already
		out = addNewest(out, e)
	}
	return out
}

// addNewest puts e among the newest, in place.
func addNewest(list []*Entry, e *Entry) []*Entry {
	if len(list) == maxNewest && older(e, list[0]) < 0 {
		return list
	}
	at, _ := slices.BinarySearchFunc(list, e, older)
	if list = slices.Insert(list, at, e); len(list) > maxNewest {
		list = slices.Delete(list, 0, 1)
	}
	return list
}

// newer keeps the list of the newest while a step changes the entries. The list
// before it may be in a view and stays as it is.
func (st *State) newer(s Step) {
	list := make([]*Entry, 0, maxNewest+1)
	for _, e := range st.newest {
		if s.Before == nil || e.ID != s.Before.ID {
			list = append(list, e)
		}
	}
	removed := len(list) < len(st.newest)
	if s.After != nil {
		list = addNewest(list, s.After)
	}
	if removed && len(list) < min(maxNewest, len(st.entries)) || removed && s.After != nil && len(st.entries) > maxNewest {
		list = newest(st.entries) // one that was not among them may be now
	}
	st.newest = list
}
