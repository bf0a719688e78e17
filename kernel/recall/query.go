package recall

import (
	"math/bits"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// Source says what kind of thing a hit is, in the words of the protocol.
type Source string

// The sources.
const (
	SourceMemory       Source = "memory"       // an entry of a memory scope
	SourceConversation Source = "conversation" // a turn of a conversation
	SourceKnowledge    Source = "knowledge"    // a section of a document; only where it is asked for
)

// DefaultMax is how many hits a search returns by default.
const DefaultMax = 20

// Query is a search. Text is the only field that must be set; the others narrow.
type Query struct {
	// Text is what is looked for, in any words: there is no syntax. A document
	// is a hit when it has any of the words; function words (the, of) count only
	// when there are no others.
	Text string
	// Max bounds the hits. Default DefaultMax.
	Max int
	// Scopes are searched, no others. A scope that was never opened is empty.
	// The caller vouches that the asker may read them.
	Scopes []memory.ScopeID
	// Tags keeps the entries that have at least one of them, whatever its case.
	Tags []string
	// Categories keeps the entries of one of them, Type those of that type, whatever
	// the case.
	Categories []string
	Type       string
	// Since and Until keep the entries last changed, and the turns said, from
	// Since on and before Until. Zero: no bound.
	Since, Until time.Time
	// Conversations are searched, too, each an index of its own. The caller
	// vouches for them as for the scopes.
	Conversations []*Conversations
	// Sources keeps the hits of these sources. Default all but SourceKnowledge.
	Sources []Source
	// Role, Process and Agent keep the turns of that role, of the process with
	// that uuid, of processes of that agent. They are about turns: with one of
	// them no entry is a hit; and with Tags, Categories or Type no turn is.
	Role    process.Role
	Process string
	Agent   string
	// ByWords takes no second look by meaning.
	ByWords bool
	// Fold shows what says the same once.
	Fold bool
	// Explain fills in Hit.Explanation.
	Explain bool

	lists bool // the conversations of a time, instead of turns by their words
}

const (
	maxQueryBytes = 8 << 10 // what lies behind is not looked for
	maxQueryTerms = 256
	maxUnits      = 64 // words whose coverage is counted
)

// term is one term of a query.
type term struct {
	text  string
	unit  int    // the word of the query that it is; -1 for a compound beside its parts
	units uint64 // the words of the query that it covers, as bits
}

// terms is an analysed query.
type terms struct {
	list  []term
	units int // how many words the query has
	text  string
	// weights are those of the words where the search looked, the most of several places,
	// and held are the words that it found there at all.
	weights []float64
	held    []bool
}

// analyze cuts a query into its terms.
func analyze(text string) terms {
	if len(text) > maxQueryBytes {
		text = strings.ToValidUTF8(text[:maxQueryBytes], "")
	}
	tokens := analysis.Analyze(text)
	stopped := true // whether there are function words only
	for _, t := range tokens {
		stopped = stopped && t.Stop
	}
	q := terms{text: text}
	seen := map[string]int{}   // term to its index in q.list
	unitOf := map[int]uint64{} // position to its unit, as a bit
	for _, t := range tokens {
		if t.Kind != analysis.Word || t.Stop && !stopped {
			continue
		}
		i, ok := seen[t.Term]
		if !ok {
			if i, ok = q.add(q.word(t.Term)); !ok {
				break
			}
			seen[t.Term] = i
		}
		unitOf[t.Pos] |= q.list[i].units
	}
	for _, t := range tokens {
		if t.Kind != analysis.Whole {
			continue
		}
		var units uint64
		for pos := t.Pos; pos < t.Pos+t.Span; pos++ {
			units |= unitOf[pos]
		}
		if i, ok := seen[t.Term]; ok {
			q.list[i].units |= units
		} else if i, ok := q.add(term{t.Term, -1, units}); ok {
			seen[t.Term] = i
		}
	}
	q.weights, q.held = make([]float64, q.units), make([]bool, q.units)
	return q
}

// coverage is the share of the words that units are, by weight.
func (q *terms) coverage(units uint64) float64 {
	w := weights{units: q.weights}
	for _, x := range q.weights {
		w.sum += x
	}
	return w.coverage(units)
}

// hold notes that documents have a term.
func (q *terms) hold(t *term) {
	for units := t.units; units != 0; units &= units - 1 {
		q.held[bits.TrailingZeros64(units)] = true
	}
}

// missing returns the words that no document has, as they were written. Pairs of
// characters are no words of a language.
func (q *terms) missing() (list []string) {
	absent := map[string]bool{}
	for _, t := range q.list {
		absent[t.text] = t.unit >= 0 && !q.held[t.unit]
	}
	words := slices.DeleteFunc(analysis.Analyze(q.text), func(t analysis.Token) bool { return t.Kind != analysis.Word })
	for i, t := range words {
		pair := i > 0 && words[i-1].End > t.Start || i+1 < len(words) && words[i+1].Start < t.End
		if absent[t.Term] && !pair {
			list = append(list, q.text[t.Start:t.End])
			delete(absent, t.Term)
		}
	}
	return list
}

func (q *terms) add(t term) (int, bool) {
	if len(q.list) == maxQueryTerms {
		return 0, false
	}
	q.list = append(q.list, t)
	return len(q.list) - 1, true
}

// word makes a new word of the query. Those past the last bit are scored, not
// counted.
func (q *terms) word(text string) term {
	if q.units == maxUnits {
		return term{text, -1, 0}
	}
	q.units++
	return term{text, q.units - 1, 1 << (q.units - 1)}
}

// wantsEntries reports whether entries can be hits.
func (q *Query) wantsEntries() bool {
	return q.wants(SourceMemory) && q.Role == "" && q.Process == "" && q.Agent == ""
}

// wantsTurns reports whether turns of an index of that source can be hits.
func (q *Query) wantsTurns(s Source) bool {
	said := q.Role == "" && q.Process == "" && q.Agent == "" || s == SourceConversation
	return q.wants(s) && said && len(q.Tags) == 0 && len(q.Categories) == 0 && q.Type == ""
}

func (q *Query) wants(s Source) bool {
	return len(q.Sources) == 0 && s != SourceKnowledge || slices.Contains(q.Sources, s)
}

// occurrence is a word of the query in a text.
type occurrence struct {
	pos, unit  int
	start, end int // bytes
}

// occurrences finds the words of the query among the tokens of a text, by position.
func (q *terms) occurrences(tokens []analysis.Token) []occurrence {
	units := make(map[string]uint64, len(q.list))
	for _, t := range q.list {
		units[t.text] = t.units
	}
	var out []occurrence
	for _, t := range tokens {
		m, ok := units[t.Term]
		if !ok {
			continue
		}
		out = append(out, occurrence{t.Pos, bits.TrailingZeros64(m), t.Start, t.End})
		for m &= m - 1; m != 0; m &= m - 1 {
			out = append(out, occurrence{t.Pos, bits.TrailingZeros64(m), t.Start, t.End})
		}
	}
	return out
}
