package recall

import (
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// Source says what kind of thing a hit is, in the words of the protocol.
type Source string

// SourceMemory is an entry of a memory scope.
const SourceMemory Source = "memory"

// The fields of a passage, by their number.
const (
	fieldText = iota
	fieldKey
	fieldTags
	fieldCount
)

var fieldNames = [fieldCount]string{"text", "key", "tags"}

// document is something that can be found.
type document struct {
	source  Source
	id      string // unique in its scope
	texts   [fieldCount]string
	updated time.Time
	entry   *memory.Entry // of SourceMemory
	slots   []uint32      // of its passages, in order
}

func entryDocument(e *memory.Entry) *document {
	updated := e.Updated
	if updated.IsZero() {
		updated = e.Created
	}
	key := e.Key
	if e.KeyStale { // its words are those of a text that is gone
		key = ""
	}
	return &document{
		source:  SourceMemory,
		id:      e.ID,
		texts:   [fieldCount]string{e.Content, key, strings.Join(e.Tags, " \n ")},
		updated: updated,
		entry:   e,
	}
}

const (
	passageWords = 60 // the length that ranks long texts best
	passageSlack = 15 // a passage may end so many words earlier, at the end of a sentence
)

// passage is the part of a document that is scored on its own. It has the
// document's key and tags.
type passage struct {
	doc        *document // nil: the slot is free
	start, end int32     // bytes of the text
	lengths    [fieldCount]int32
}

// analyzed is a passage and its terms, on the way to the index.
type analyzed struct {
	passage
	terms [fieldCount]map[string]int // term to frequency
}

// passages cuts a document. One without any words has one passage, too: its key
// and tags can be found.
func (d *document) passages() []analyzed {
	key := analysis.Analyze(d.texts[fieldKey])
	tags := analysis.Analyze(d.texts[fieldTags])
	text := d.texts[fieldText]
	tokens := analysis.Analyze(text)
	var out []analyzed
	start := 0
	for _, cut := range append(cuts(text, tokens), len(tokens)) {
		a := analyzed{passage: passage{doc: d, end: int32(len(text))}}
		if len(out) > 0 {
			a.start = out[len(out)-1].end
		}
		if cut < len(tokens) {
			a.end = int32(tokens[cut].Start)
		}
		a.add(fieldText, tokens[start:cut])
		a.add(fieldKey, key)
		a.add(fieldTags, tags)
		out = append(out, a)
		start = cut
	}
	return out
}

func (a *analyzed) add(field int, tokens []analysis.Token) {
	terms := make(map[string]int, len(tokens))
	for _, t := range tokens {
		terms[t.Term]++
		if t.Kind == analysis.Word && !t.Stop {
			a.lengths[field]++
		}
	}
	a.terms[field] = terms
}

// cuts returns the indexes of the tokens that begin a new passage.
func cuts(text string, tokens []analysis.Token) []int {
	var out []int
	for from := 0; ; {
		next := slices.IndexFunc(tokens[from:], func(t analysis.Token) bool {
			return t.Pos >= tokens[from].Pos+passageWords
		})
		if next < 0 {
			return out
		}
		from = bestCut(text, tokens, from, from+next)
		out = append(out, from)
	}
}

// bestCut returns the last beginning of a sentence among the words before
// tokens[at], or at.
func bestCut(text string, tokens []analysis.Token, from, at int) int {
	for i := at; i > from+1 && tokens[i].Pos > tokens[at].Pos-passageSlack; i-- {
		if tokens[i].Pos == tokens[i-1].Pos || tokens[i-1].End > tokens[i].Start {
			continue
		}
		if strings.ContainsAny(text[tokens[i-1].End:tokens[i].Start], ".!?\n;。！？") {
			return i
		}
	}
	return at
}
