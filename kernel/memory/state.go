package memory

import (
	"slices"
	"time"
)

// maxReplays bounds how many idempotency keys a state remembers; the oldest are
// forgotten first.
const maxReplays = 4096

// State is a scope's entries in memory, with the indexes that [State.Plan]
// needs. Providers hold one behind their own lock; it has none itself. It is the
// shared core of every provider: what a change means is decided here, how it is
// kept is theirs.
type State struct {
	seq       int64
	used      int
	entries   []*Entry // in order of creation; replaced, never modified in place
	byID      map[string]*Entry
	byKey     map[string]*Entry
	byContent map[string][]*Entry
	kept      int // entries that are not archived
	lifetimes Lifetimes
	next      time.Time // by these, no entry ends before
	live      *liveView
	suffix    map[string]int // last number tried for a derived key
	replays   map[string]replay
	replayLog []string // keys of replays, oldest first
}

type replay struct {
	digest string
	result Result
}

// NewState returns a state with the entries, in the order given, after the
// change with the sequence number seq. Ids and keys must be unique.
func NewState(entries []*Entry, seq int64) *State {
	st := &State{
		seq:       seq,
		entries:   slices.Clone(entries),
		byID:      make(map[string]*Entry, len(entries)),
		byKey:     make(map[string]*Entry, len(entries)),
		byContent: make(map[string][]*Entry, len(entries)),
		next:      Never,
		live:      &liveView{},
		suffix:    map[string]int{},
		replays:   map[string]replay{},
	}
	for _, e := range entries {
		st.index(e)
	}
	return st
}

// Sequence is the number of the last change.
func (st *State) Sequence() int64 { return st.seq }

// Len is the number of entries, expired ones included.
func (st *State) Len() int { return len(st.entries) }

// ByID returns the entry with the id, or nil.
func (st *State) ByID(id string) *Entry { return st.byID[id] }

// ByKey returns the entry with the key, or nil.
func (st *State) ByKey(key string) *Entry { return st.byKey[key] }

// Count is how many entries have the content.
func (st *State) Count(content string) int { return len(st.byContent[content]) }

// View returns the scope as it is.
func (st *State) View() View {
	return View{Entries: st.entries[:len(st.entries):len(st.entries)], Used: st.used, Count: st.kept, Sequence: st.seq, live: st.live}
}

// Rewind goes back to an earlier view.
// Results for [State.Replay] stay.
func (st *State) Rewind(v View) {
	replays, log := st.replays, st.replayLog
	*st = *NewState(v.Entries, v.Sequence)
	st.replays, st.replayLog = replays, log
}

// Commit makes the steps of a plan part of the state, as the change with the
// sequence number seq. A non-empty ch.IdempotencyKey is remembered.
func (st *State) Commit(ch Change, steps []Step, seq int64) Result {
	for _, s := range steps {
		st.step(s)
	}
	st.seq = seq
	res := Result{Sequence: seq, Steps: steps, Used: st.used}
	if ch.IdempotencyKey != "" {
		st.Remember(ch.IdempotencyKey, ch.Digest, res)
	}
	return res
}

// Remember keeps a change's result for [State.Replay]. Providers call it for the
// changes they find in their journal when they open.
func (st *State) Remember(key, digest string, res Result) {
	if _, ok := st.replays[key]; !ok {
		st.replayLog = append(st.replayLog, key)
	}
	st.replays[key] = replay{digest, res}
	for len(st.replayLog) > maxReplays {
		delete(st.replays, st.replayLog[0])
		st.replayLog = st.replayLog[1:]
	}
}

// Replay returns the result of an earlier change with ch's idempotency key, if
// there was one. The same key with another request is KindConflict.
func (st *State) Replay(ch Change) (Result, bool, error) {
	if ch.IdempotencyKey == "" {
		return Result{}, false, nil
	}
	r, ok := st.replays[ch.IdempotencyKey]
	if !ok {
		return Result{}, false, nil
	}
	if r.digest != ch.Digest {
		return Result{}, false, Errorf(KindConflict, "", "idempotency key was used for another request")
	}
	res := r.result
	res.Replayed = true
	return res, true, nil
}

func (st *State) step(s Step) {
	st.live = &liveView{}
	switch {
	case s.Before == nil:
		st.entries = append(st.entries, s.After)
	case s.After == nil:
		i := st.position(s.Before)
		next := make([]*Entry, 0, len(st.entries)-1)
		next = append(next, st.entries[:i]...)
		st.entries = append(next, st.entries[i+1:]...)
	default:
		i := st.position(s.Before)
		st.entries = slices.Clone(st.entries)
		st.entries[i] = s.After
	}
	if s.Before != nil {
		st.unindex(s.Before)
	}
	if s.After != nil {
		st.index(s.After)
	}
}

// position finds an entry that must be there: steps come from a plan on this
// state, or from a journal that continues it.
func (st *State) position(e *Entry) int {
	return slices.IndexFunc(st.entries, func(x *Entry) bool { return x.ID == e.ID })
}

func (st *State) index(e *Entry) {
	if !e.Archived {
		st.used += e.Runes()
		st.kept++
	}
	st.byID[e.ID] = e
	st.byKey[e.Key] = e
	st.byContent[e.Content] = append(st.byContent[e.Content], e)
	st.expect(e)
}

func (st *State) unindex(e *Entry) {
	e = st.byID[e.ID] // the very pointer that was indexed
	if !e.Archived {
		st.used -= e.Runes()
		st.kept--
	}
	delete(st.byID, e.ID)
	delete(st.byKey, e.Key)
	same := slices.DeleteFunc(slices.Clone(st.byContent[e.Content]), func(x *Entry) bool { return x == e })
	if len(same) == 0 {
		delete(st.byContent, e.Content)
	} else {
		st.byContent[e.Content] = same
	}
}
