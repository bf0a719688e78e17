package memory

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"time"
)

// Plan works out what ch does to the state, without changing it. The steps are
// made part of it by [State.Commit], once they are durable. Errors: KindInvalid
// (ambiguous match), KindNotFound, KindExists, KindConflict, KindOverLimit.
func (st *State) Plan(ch Change) ([]Step, error) {
	d := newDraft(st, ch)
	d.expire()
	for i, op := range ch.Ops {
		if err := d.op(op); err != nil {
			return nil, ch.OpError(i, err)
		}
	}
	return d.steps, nil
}

// OpError is the error of operation i: a batch says which of its own it was.
func (ch *Change) OpError(i int, err error) error {
	var e *Error
	if len(ch.Ops) > 1 && errors.As(err, &e) {
		e.Err = fmt.Errorf("ops[%d]: %w", i, e.Err)
	}
	return err
}

// draft is a state with the steps taken so far laid over it.
type draft struct {
	st        *State
	ch        Change
	used      int
	steps     []Step
	shadowed  map[string]bool     // ids whose entry in st no longer counts
	live      map[string]*Entry   // their new versions, and new entries
	liveKey   map[string]*Entry   // live by key
	liveText  map[string][]*Entry // live by content
	untouched []*Entry            // eviction candidates in order, filled on first need
}

func newDraft(st *State, ch Change) *draft {
	return &draft{
		st: st, ch: ch, used: st.used,
		shadowed: map[string]bool{},
		live:     map[string]*Entry{},
		liveKey:  map[string]*Entry{},
		liveText: map[string][]*Entry{},
	}
}

func (d *draft) step(a Action, before, after *Entry) {
	d.steps = append(d.steps, Step{Action: a, Before: before, After: after})
	if before != nil {
		d.used -= before.Runes()
		d.shadowed[before.ID] = true
		if d.live[before.ID] == before {
			delete(d.live, before.ID)
			delete(d.liveKey, before.Key)
			d.liveText[before.Content] = slices.DeleteFunc(d.liveText[before.Content], func(e *Entry) bool { return e == before })
		}
	}
	if after != nil {
		d.used += after.Runes()
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

func (d *draft) expire() {
	var over []*Entry
	for _, e := range d.st.expiring {
		if e.Expired(d.ch.At) {
			over = append(over, e)
		}
	}
	slices.SortFunc(over, func(a, b *Entry) int { return cmp.Compare(a.ID, b.ID) })
	for _, e := range over {
		d.step(ActionExpire, e, nil)
	}
}

func (d *draft) op(op Op) error {
	switch op.Action {
	case ActionAdd:
		return d.add(op)
	case ActionReplace:
		return d.replace(op)
	case ActionRemove:
		e, err := d.find(op)
		if err != nil {
			return err
		}
		d.step(ActionRemove, e, nil)
		return nil
	case ActionRestore:
		return d.restore(op)
	case ActionEdit:
		return d.edit(op)
	}
	return Errorf(KindInvalid, string(op.Action), "unknown action: %s", QuoteName(string(op.Action)))
}

func (d *draft) add(op Op) error {
	e := op.Entry.Clone()
	if e.Key == "" {
		e.Key = d.freeKey(DeriveKey(e.Content))
	} else if d.byKey(e.Key) != nil {
		return Errorf(KindExists, "add", "an entry with the key %q exists; replace it by its key", e.Key)
	}
	e.Created, e.Updated, e.Revision = d.ch.At, d.ch.At, 1
	e.Source = d.ch.Actor
	if err := d.fit("add", e.Runes(), e.ID); err != nil {
		return err
	}
	same := d.byContent(e.Content)
	d.step(ActionAdd, nil, e)
	if len(same) > 0 {
		d.steps[len(d.steps)-1].Duplicate = same[0].ID
	}
	return nil
}

func (d *draft) replace(op Op) error {
	old, err := d.find(op)
	if err != nil {
		return err
	}
	e := old.Clone()
	set(e, &op.Entry, op.Set)
	if e.Key != old.Key && d.byKey(e.Key) != nil {
		return Errorf(KindExists, "replace", "an entry with the key %q exists", e.Key)
	}
	e.KeyStale = keyStale(old, e)
	e.Updated, e.Revision, e.Source = d.ch.At, old.Revision+1, d.ch.Actor
	if err := d.fit("replace", e.Runes()-old.Runes(), e.ID); err != nil {
		return err
	}
	d.step(ActionReplace, old, e)
	return nil
}

// restore brings back an earlier state of an entry, also of one that is gone.
func (d *draft) restore(op Op) error {
	e := op.Entry.Clone()
	e.Updated, e.Source = d.ch.At, d.ch.Actor
	old := d.byID(e.ID)
	if old != nil && op.ExpectedRevision != 0 && op.ExpectedRevision != old.Revision {
		return revisionConflict("restore", op.ExpectedRevision, old.Revision)
	}
	if other := d.byKey(e.Key); other != nil && other.ID != e.ID {
		e.Key = d.freeKey(e.Key)
	}
	grow := e.Runes()
	if old != nil {
		grow -= old.Runes()
		e.Revision = max(e.Revision, old.Revision)
	}
	e.Revision++
	if err := d.fit("restore", grow, e.ID); err != nil {
		return err
	}
	d.step(ActionRestore, old, e)
	return nil
}

// edit takes in an entry as somebody wrote it by hand: the file's word holds for
// every field that it has.
func (d *draft) edit(op Op) error {
	e := op.Entry.Clone()
	old := d.byID(e.ID)
	if other := d.byKey(e.Key); other != nil && other.ID != e.ID {
		e.Key = d.freeKey(e.Key)
	}
	grow := e.Runes()
	if old != nil {
		grow -= old.Runes()
		e.KeyStale = keyStale(old, e)
		e.Revision = max(e.Revision-1, old.Revision) + 1
	}
	e.Revision = max(e.Revision, 1)
	// A person's edit never pushes other entries out, whatever the policy.
	if grow > 0 && d.used+grow > d.ch.Limit.Runes {
		return d.overLimit("edit", grow)
	}
	d.step(ActionEdit, old, e)
	return nil
}

// set copies the named fields of src to dst.
func set(dst, src *Entry, fields []string) {
	c := src.Clone()
	for _, f := range EntryFields {
		if f.Request && slices.Contains(fields, f.Name) {
			f.Copy(dst, c)
		}
	}
}

// find returns the one entry that op means.
func (d *draft) find(op Op) (*Entry, error) {
	var e *Entry
	switch {
	case op.Match.ID != "":
		e = d.byID(op.Match.ID)
	case op.Match.Key != "":
		e = d.byKey(op.Match.Key)
	default:
		var err error
		if e, err = Pick(op.Action, d.byContent(op.Match.Content)); err != nil {
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
	title := strings.ToUpper(op[:1]) + op[1:]
	what := m.ID
	switch {
	case m.Withhold:
		return Errorf(KindNotFound, op, "entry not found for %s (what it names is withheld: it looks like a secret)", title)
	case m.ID != "":
	case m.Key != "":
		what = m.Key
	default:
		what = m.Content
	}
	if r := []rune(what); len(r) > 40 {
		what = string(r[:40]) + "..."
	}
	return Errorf(KindNotFound, op, "entry not found for %s: %q", title, what)
}

func revisionConflict(op string, want, have int64) *Error {
	return Errorf(KindConflict, op, "expected_revision is %d, but the entry is at revision %d", want, have)
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

// fit makes room for grow more runes by the scope's policy, or refuses. The
// entry being written is never evicted for itself.
func (d *draft) fit(op string, grow int, self string) error {
	limit := d.ch.Limit
	if grow <= 0 || d.used+grow <= limit.Runes {
		return nil
	}
	if limit.Overflow != OverflowFIFO && limit.Overflow != OverflowRelevance {
		return d.overLimit(op, grow)
	}
	var victims []*Entry
	room := limit.Runes - d.used - grow
	for _, e := range d.candidates() {
		if room >= 0 {
			break
		}
		if e.ID == self || d.shadowed[e.ID] {
			continue
		}
		victims = append(victims, e)
		room += e.Runes()
	}
	if room < 0 {
		return d.overLimit(op, grow)
	}
	for _, e := range victims {
		d.step(ActionEvict, e, nil)
	}
	return nil
}

func (d *draft) overLimit(op string, grow int) error {
	return Errorf(KindOverLimit, op, "memory capacity limit exceeded: used=%d, limit=%d, needed=%d additional chars", d.used, d.ch.Limit.Runes, grow)
}

// candidates returns the entries that may be evicted, first to go first: neither
// pinned nor touched by this change.
func (d *draft) candidates() []*Entry {
	if d.untouched != nil {
		return d.untouched
	}
	d.untouched = []*Entry{}
	for _, e := range d.st.entries {
		if !e.Pinned {
			d.untouched = append(d.untouched, e)
		}
	}
	byAge := func(a, b *Entry) int {
		return cmp.Or(a.Created.Compare(b.Created), cmp.Compare(a.ID, b.ID))
	}
	if d.ch.Limit.Overflow == OverflowRelevance {
		slices.SortFunc(d.untouched, func(a, b *Entry) int {
			return cmp.Or(cmp.Compare(Relevance(a, d.ch.At), Relevance(b, d.ch.At)), byAge(a, b))
		})
	} else {
		slices.SortFunc(d.untouched, byAge)
	}
	return d.untouched
}

// Relevance is how much an entry is worth keeping, 0 to 1: importance·0.7 +
// e^(−age/30 days)·0.3, the formula of A3S's memory store, with ages below zero
// taken as zero.
func Relevance(e *Entry, now time.Time) float64 {
	days := max(now.Sub(e.Updated).Hours()/24, 0)
	return e.Importance*0.7 + math.Exp(-days/30)*0.3
}
