package memory

import (
	"cmp"
	"reflect"
	"slices"
	"strings"
)

// find returns the one entry that op means.
func (d *draft) find(op Op) (*Entry, error) {
	var e *Entry
	switch {
	case op.Match.ID != "":
		e = d.byID(op.Match.ID)
	case op.Match.Key != "":
		e = d.byKey(op.Match.Key)
	default:
		same := d.byContent(op.Match.Content)
		if shown := slices.DeleteFunc(slices.Clone(same), func(e *Entry) bool { return e.Archived }); len(shown) > 0 {
			same = shown
		}
		var err error
		if e, err = Pick(op.Action, same); err != nil {
			return nil, err
		}
	}
	if e == nil {
		return nil, NotFound(op.Action, op.Match)
	}
	if op.ExpectedRevision != 0 && op.ExpectedRevision != e.Revision {
		return nil, revisionConflict(string(op.Action), op.ExpectedRevision, e.Revision)
	}
	return e, nil
}

// Pick returns the entry that an action means by a text that all of these have: the
// one created last, where they differ in nothing but their ids, keys, times and
// sources; nil where there is none. Entries that differ are KindInvalid.
func Pick(a Action, same []*Entry) (*Entry, error) {
	if len(same) == 0 {
		return nil, nil
	}
	last := slices.MaxFunc(same, func(a, b *Entry) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	})
	if !slices.ContainsFunc(same, func(e *Entry) bool { return !alike(e, last) }) {
		return last, nil
	}
	ids := make([]string, len(same))
	for i, e := range same {
		ids[i] = e.ID
	}
	slices.Sort(ids)
	return nil, Errorf(KindInvalid, string(a), "%d different entries have this content; name one by its id: %s", len(same), strings.Join(ids, ", "))
}

// alike reports whether two entries differ in nothing that somebody wrote but the
// key and the time at which they expire.
func alike(a, b *Entry) bool {
	for _, f := range EntryFields {
		if f.Scan && f.Name != "key" && f.Name != "expires" && !reflect.DeepEqual(f.Pointer(a), f.Pointer(b)) {
			return false
		}
	}
	return (a.Expires == nil) == (b.Expires == nil)
}

// NotFound is the error for a match that names no entry. It quotes at most 40
// runes of what was looked for.
func NotFound(a Action, m Match) *Error {
	op := string(a)
	sought := "entry not found"
	if a == ActionReplace || a == ActionRemove { // as the reference system says it
		sought += " for " + strings.ToUpper(op[:1]) + op[1:]
	}
	what := m.ID
	switch {
	case m.Withhold:
		return Errorf(KindNotFound, op, "%s (what it names is withheld: it looks like a secret)", sought)
	case m.ID != "":
	case m.Key != "":
		what = m.Key
	default:
		what = m.Content
	}
	if short := Cut(what, 40); short != what {
		what = short + "..."
	}
	return Errorf(KindNotFound, op, "%s: %q", sought, what)
}

func revisionConflict(op string, want, have int64) *Error {
	return Errorf(KindConflict, op, "expected_revision is %d, but the entry is at revision %d", want, have)
}
