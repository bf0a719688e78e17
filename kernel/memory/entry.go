package memory

import (
	"maps"
	"slices"
	"time"
	"unicode/utf8"
)

// DefaultImportance is what an entry has when nobody said.
const DefaultImportance = 0.5

// Trust says by which road a text came. It is attested by the kernel; a payload
// can't raise it.
type Trust string

// The levels of trust, highest first.
const (
	TrustHuman     Trust = "human"     // a person at a terminal
	TrustEdit      Trust = "edit"      // a file that was changed: inotify(7) does not say by whom
	TrustAgent     Trust = "agent"     // an agent's process
	TrustExtracted Trust = "extracted" // writeback
	TrustImported  Trust = "imported"  // another tool's history, or what came with a repository
)

// Source says where an entry came from. All fields are optional.
type Source struct {
	Trust     Trust    `json:"trust,omitempty"`
	Road      string   `json:"road,omitempty"`      // commit, profile, mcp, edit, writeback, import, legacy, ...
	UID       *uint32  `json:"uid,omitempty"`       // of the writer
	PID       int      `json:"pid,omitempty"`       // of the writer, 0 when unknown
	Exe       string   `json:"exe,omitempty"`       // the writer's executable
	Session   string   `json:"session,omitempty"`   // session id, when it has one
	Container string   `json:"container,omitempty"` // id of the writer's container
	Client    string   `json:"client,omitempty"`    // what the program calls itself that the road asked for
	Process   string   `json:"process,omitempty"`   // uuid of the conversation it was learned from
	Turns     []string `json:"turns,omitempty"`     // ids of the turns it was learned from
	Job       string   `json:"job,omitempty"`       // the writeback or import job
}

// Entry is one thing remembered. Entries are immutable once they are stored.
//
// The JSON names are those of the device protocol and of the files' front
// matter, so that a user meets one vocabulary.
type Entry struct {
	ID         string         `json:"id"`                  // UUID, for ever
	Key        string         `json:"key"`                 // unique in its scope; names the file
	KeyStale   bool           `json:"key_stale,omitempty"` // the key was derived from a text that has been replaced
	Category   string         `json:"category,omitempty"`  // free word: convention, decision, preference, ...
	Type       string         `json:"type,omitempty"`      // semantic, episodic, procedural, working, or free
	Tags       []string       `json:"tags,omitempty"`      // sorted as given, no duplicates
	Importance float64        `json:"importance"`          // 0 to 1
	Pinned     bool           `json:"pinned,omitempty"`    // never evicted
	Created    time.Time      `json:"created"`             // UTC
	Updated    time.Time      `json:"updated"`             // UTC; equals Created until changed
	Expires    *time.Time     `json:"expires,omitempty"`   // UTC; nil: as the rows say; [Never]
	Archived   bool           `json:"archived,omitempty"`  // its time is over, and it is kept
	Revision   int64          `json:"revision"`            // 1, 2, ... of this entry
	Source     Source         `json:"source,omitzero"`     // where it came from
	Metadata   map[string]any `json:"metadata,omitempty"`  // JSON values, kept as given
	Extra      map[string]any `json:"extra,omitempty"`     // front matter fields that are not ours, kept as found
	Content    string         `json:"content"`             // verbatim UTF-8
}

// Runes is the number of Unicode code points of the content: what limits count.
func (e *Entry) Runes() int { return utf8.RuneCountInString(e.Content) }

// SaidKey is the metadata of when what a text says was said, RFC 3339: for what was
// learned from a conversation, perhaps much later.
const SaidKey = "said"

// Said returns when what the entry says was said: its last change, if nothing tells.
func (e *Entry) Said() time.Time {
	if text, ok := e.Metadata[SaidKey].(string); ok {
		if at, err := time.Parse(time.RFC3339, text); err == nil {
			return at
		}
	}
	return e.Updated
}

// Expired reports whether the time that the entry itself names is over at now.
func (e *Entry) Expired(now time.Time) bool {
	return e.Expires != nil && !now.Before(*e.Expires)
}

// Clone returns a deep enough copy: changing its fields, tags or maps at the
// first level leaves e as it was.
func (e *Entry) Clone() *Entry {
	c := *e
	c.Tags = slices.Clone(e.Tags)
	c.Source.Turns = slices.Clone(e.Source.Turns)
	c.Metadata = maps.Clone(e.Metadata)
	c.Extra = maps.Clone(e.Extra)
	if e.Expires != nil {
		t := *e.Expires
		c.Expires = &t
	}
	return &c
}
