package rules

import (
	"cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Category says by which family of rules something was found.
type Category string

// The categories: the words that stand in an entry's category.
const (
	Request     Category = "request"     // a person asked to remember it
	Instruction Category = "instruction" // what holds from now on
	Correction  Category = "correction"  // the agent was put right
	Preference  Category = "preference"  // what the user likes, wants or aims at
	Fact        Category = "fact"        // about the user
	Decision    Category = "decision"    // what was decided, with the reason if one was given
	Command     Category = "command"     // what failed, and the form that worked
	Convention  Category = "convention"  // how things are done in the project
)

// Categories returns every category, the weightiest first.
func Categories() []Category {
	return []Category{Request, Instruction, Correction, Decision, Command, Convention, Preference, Fact}
}

// The types of memory that candidates are of.
const (
	semantic   = "semantic"
	procedural = "procedural"
	episodic   = "episodic"
)

// maxContent is the most runes of a candidate's content.
const maxContent = 300

// Candidate is something that a conversation taught. It is not stored yet: the
// store scans it, compares it with what is there, and limits it.
type Candidate struct {
	Target  memory.Scope // ScopeProject, ScopeGlobal or ScopeUser
	Content string       // a sentence or two that stand alone, at most 300 runes, valid UTF-8, one line
	// Category and Type go into the entry as they are; Type is semantic,
	// procedural or episodic.
	Category   Category
	Type       string
	Importance float64  // 0 to 1
	Tags       []string // sorted, without duplicates; may be nil
	Turns      []string // ids of the turns that it was learned from, in order, at least one
	Confidence float64  // 0 to 1: how sure the rule is that this is worth keeping
	// Asked says that a person asked explicitly for it to be remembered: no
	// threshold applies.
	Asked bool
}

// Options bound an extraction. The zero value takes the defaults.
type Options struct {
	// Max is the most candidates of one conversation; 0 is DefaultMax. What a
	// person asked for comes first, then by importance and confidence.
	Max int
	// MinConfidence leaves out what the rules are less sure of; 0 is 0.5. It does
	// not apply to what a person asked for.
	MinConfidence float64
}

// DefaultMax is how many candidates a conversation yields at most when Options
// does not say.
const DefaultMax = 20

func (o Options) limit() int { return cmp.Or(max(o.Max, 0), DefaultMax) }

func (o Options) floor() float64 { return cmp.Or(o.MinConfidence, 0.5) }
