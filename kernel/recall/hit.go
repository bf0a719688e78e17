package recall

import (
	"cmp"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// Results is what a search found.
type Results struct {
	Hits  []Hit // the best first
	Total int   // how many entries, turns and sections matched, shown or not
	// Missing are the words of the query that nothing searched has, as they were written.
	Missing []string
	// Meaning says what became of the second look: meaning.Used, Late or Away; "": none was
	// taken.
	Meaning string

	asked *terms
	found []candidateHit // of which Hits are made
	lists bool           // they are the conversations of a time, in order
}

// Hit is one document that matched.
type Hit struct {
	ID     string
	Key    string // of a section, its name
	Scope  memory.ScopeID
	Source Source
	// Score is from 0 to 1: how near it comes to a document that has all that was
	// asked for. Scores of different queries can't be compared.
	Score float64
	// Snippet is the text, or the sentences of it around what was found: verbatim, at
	// most 300 runes, with "…" where a sentence was cut. Nothing is put into it to mark
	// the words that were found: Marks says where they are.
	Snippet string
	// Marks are the words of the query in Snippet, in order and apart, none in code.
	Marks []Span
	// Entry is the whole entry, and nil for a turn. It must not be changed.
	Entry *memory.Entry
	// Archived reports whether the entry is, and counts less for it.
	Archived bool
	// Turn is the number of the turn in the conversation whose uuid ID is, Role who
	// said it, Title and Agent those of the conversation. Of entries they are zero.
	Turn  int
	Role  process.Role
	Title string
	Agent string
	// Timestamp is when the entry was last changed, or the turn was said.
	Timestamp time.Time
	// Same counts the hits that say the same and were left out for it, and Also names the
	// first of them.
	Same int
	Also []Place
	// Explanation says where Score comes from, when that was asked for.
	Explanation *Explanation
}

// Explanation says where a score comes from. Text, Proximity and Ideal are in
// the same unit. Their quotient (Text+Proximity)/Ideal, moved a little by Prior,
// orders the documents that have the same number of the query's words when these
// are few, and is reduced by the share of words that are missing when they are
// many.
type Explanation struct {
	Terms     []TermScore `json:"terms"`
	Matched   int         `json:"matched"`   // words of the query that were found
	Of        int         `json:"of"`        // words of the query
	Text      float64     `json:"text"`      // Σ of the terms, in the best passage
	Proximity float64     `json:"proximity"` // for words that stand near each other
	Ideal     float64     `json:"ideal"`     // of a document with all of it
	Prior     float64     `json:"prior"`     // importance and recency, 0 to 1
	// Session is for the whole conversation that a turn is of.
	Session float64 `json:"session,omitempty"`
	// Reading is for the question that a turn answers, or asks.
	Reading float64 `json:"reading,omitempty"`
	// Meaning is how near it is by meaning, 1 at most.
	Meaning float64 `json:"meaning,omitempty"`
	Passage Span    `json:"passage"` // the best passage, in bytes of the content
}

// Withhold leaves out the terms that were not found: they are the query's alone, and the
// query has what must not be shown.
func (e *Explanation) Withhold() {
	for i := range e.Terms {
		if t := &e.Terms[i]; t.Score == 0 {
			t.Term = ""
		}
	}
}

// TermScore is what one term of the query added to a passage.
type TermScore struct {
	Term   string  `json:"term"`   // as it stands in the index: folded, stemmed
	Weight float64 `json:"weight"` // how rare it is in the scopes searched
	Score  float64 `json:"score"`  // 0: it is not there
}

// candidateHit is a hit without its snippet, and where that is to be cut: which
// needs no lock.
type candidateHit struct {
	hit     Hit
	text    string
	turnID  string // of a turn
	passage Span
	exact   bool    // it has all the rare words of the question
	near    float32 // by meaning
}

// compareHits orders the better one first, and equal ones by time and name.
func compareHits(x, y candidateHit) int {
	a, b := &x.hit, &y.hit
	return cmp.Or(
		cmp.Compare(b.Score, a.Score),
		b.Timestamp.Compare(a.Timestamp),
		cmp.Compare(a.ID, b.ID),
		cmp.Compare(a.Turn, b.Turn),
		cmp.Compare(a.Source, b.Source),
	)
}

// cut makes the snippet.
func (c *candidateHit) cut(asked *terms) Hit {
	c.hit.Snippet, c.hit.Marks = snippet(c.text, c.passage, asked)
	return c.hit
}
