package memory

import "time"

// Action is what an operation does to a scope.
type Action string

// The actions that change a scope.
const (
	ActionAdd     Action = "add"
	ActionReplace Action = "replace"
	ActionRemove  Action = "remove"
	ActionRestore Action = "restore"
	ActionPut     Action = "put"   // an add, a replace or an append
	ActionClear   Action = "clear" // removes every entry
	// The following are the kernel's own, and appear in histories only.
	ActionEvict   Action = "evict"   // the overflow policy made room
	ActionExpire  Action = "expire"  // its lifetime was over
	ActionArchive Action = "archive" // its lifetime was over, and it is kept
	ActionEdit    Action = "edit"    // taken in from a file changed by hand
	ActionAppend  Action = "append"  // a put on a key that was taken
)

// Match names the entry that an operation means. Exactly one of the fields is
// set; see [Pick] for a Content that more than one entry has.
type Match struct {
	ID      string
	Key     string
	Content string // equal to an entry's whole content
	// Withhold keeps Content out of error texts: the scanner found a secret in it.
	Withhold bool
}

// IsZero reports whether nothing is named.
func (m Match) IsZero() bool { return m.ID == "" && m.Key == "" && m.Content == "" }

// Op is one operation of a change, decoded, validated and scanned.
type Op struct {
	Action Action
	// Match names the entry to replace, remove or restore.
	Match Match
	// Entry is the new state. For an add all fields but Revision count; ID is
	// assigned by the store, and an empty Key is derived from the content. For a
	// replace, Content and the fields named in Set count; for a put, all fields of
	// a new entry, and those in Set of one that is there. For a restore it is the
	// state to go back to, and Revision the last one the entry had.
	Entry Entry
	// Set names the fields of Entry that a replace sets: content, key,
	// category, type, tags, importance, pinned, expires, metadata.
	Set []string
	// ExpectedRevision, when not 0, must be the entry's current one.
	ExpectedRevision int64
	// Merge lays the names of Entry.Metadata over those that the entry has; one that
	// is nil goes.
	Merge   bool
	OnKey   OnKey   // of a put, where the key is taken
	Outcome Outcome // of a replace or a put, to be counted; "": none
}

// Names is what the operation says of the entry that it changes: of a put, its key.
func (op *Op) Names() Match {
	if op.Action == ActionPut {
		return Match{Key: op.Entry.Key}
	}
	return op.Match
}

// Limit bounds a scope.
type Limit struct {
	Runes    int // Σ runes of content; must be positive
	Entries  int // number of entries; 0: any
	Overflow Overflow
	Score    Score // which entries go first, with OverflowRelevance
	Lifetimes
}

// Overflow says what happens to an add or replace that does not fit.
type Overflow string

// The overflow policies.
const (
	OverflowError     Overflow = "error"     // refuse it
	OverflowFIFO      Overflow = "fifo"      // evict the oldest entries
	OverflowRelevance Overflow = "relevance" // evict what is least important and least recent
)

// Change is a list of operations on one scope, applied all or none.
type Change struct {
	Ops   []Op
	Limit Limit
	Actor Source
	At    time.Time // UTC; the change's time, from the store's clock
	// Said is when a person said what the change does: At, where they do it themselves,
	// and zero where no person did. What they remove stays away until a person says it
	// after that.
	Said time.Time
	// IdempotencyKey, when set, makes a repeated change answer with the first
	// one's result. Digest identifies the request: the same key with another
	// digest is a conflict.
	IdempotencyKey string
	Digest         string
	// Dry has the provider say whether it would take the change, and do nothing.
	Dry bool
}

// Step is what one change did to one entry. Before is nil for a new entry,
// After is nil for one that is gone.
type Step struct {
	Action Action
	Before *Entry
	After  *Entry
	By     Source
	At     time.Time // UTC
	// Duplicate is the id of an older entry with the same content, for an add.
	Duplicate string
}

// Result is what a change did.
type Result struct {
	Sequence int64  // of the scope, grows with each change
	Steps    []Step // in the order of the ops; evictions and expiries precede the op that caused them
	Used     int    // runes after the change
	Replayed bool   // answered from an earlier change with the same idempotency key
}

// Record is one change of one entry, as its history keeps it.
type Record struct {
	Sequence int64     `json:"sequence"`
	Time     time.Time `json:"time"`
	Action   Action    `json:"action"`
	Actor    Source    `json:"actor"`
	ID       string    `json:"id"`
	Before   *Entry    `json:"before,omitempty"`
	After    *Entry    `json:"after,omitempty"`
}

// Unwanted reports whether the change took a text away that somebody no longer wanted.
func (r *Record) Unwanted() bool {
	return r.Action != ActionEvict && r.Action != ActionExpire && r.Action != ActionAppend &&
		r.Before != nil && (r.After == nil || r.After.Content != r.Before.Content)
}

// View is a scope at one moment. Entries are in order of creation and must not
// be modified.
type View struct {
	Entries  []*Entry // those that are archived or have ended, too
	Used     int      // Σ runes, but for those that are archived
	Count    int      // of entries, but for those
	Sequence int64
	live     *liveView // shared by the views of one state; nil: there is none
}

// Same reports whether two views are of the same state of the same scope, in one process.
func (v View) Same(w View) bool {
	n := len(v.Entries)
	return v.Sequence == w.Sequence && n == len(w.Entries) && (n == 0 || &v.Entries[0] == &w.Entries[0])
}
