package rules

import "github.com/rnixfs/rnixfs/kernel/memory"

// Category is the word in an entry's field of this name.
type Category string

// The categories that rules give.
const (
	Request     Category = "request"     // the user asked to remember it
	Instruction Category = "instruction" // what holds from now on
	Correction  Category = "correction"  // the user put the agent right
	Preference  Category = "preference"  // what the user likes, dislikes, prefers
	Command     Category = "command"     // a command that failed, and the form that worked
)

// The categories that a model gives besides.
const (
	Decision   Category = "decision"
	Convention Category = "convention"
	Fact       Category = "fact"
)

// Candidate is something that a conversation taught. It is not stored yet: the
// store scans it, the writeback compares it with what is remembered.
type Candidate struct {
	Target     memory.Scope // ScopeProject, ScopeGlobal or ScopeUser
	Content    string       // the user's words; at most 300 runes, valid UTF-8, one line
	Category   Category
	Type       string   // semantic, procedural or episodic
	Importance float64  // 0 to 1
	Turns      []string // ids of the turns that it was learned from, in order, at least one
	Asked      bool     // the user asked for it to be remembered: no threshold applies
}
