package recall

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// Span is a range of bytes: [Start, End).
type Span struct {
	Start int `json:"start"`
	End   int `json:"end"`
}

const (
	passageWords = 60 // the length that ranks long texts best
	passageSlack = 15 // a passage may end so many words earlier, at the end of a sentence
)

// passage is a part of a text that is scored on its own.
type passage struct {
	Span
	tokens []analysis.Token
}

// passages cuts a text. One without any words has one passage, too.
func passages(text string) []passage {
	tokens := analysis.Analyze(text)
	var out []passage
	from, start := 0, 0
	for {
		next := slices.IndexFunc(tokens[from:], func(t analysis.Token) bool {
			return t.Pos >= tokens[from].Pos+passageWords
		})
		if next < 0 {
			return append(out, passage{Span{start, len(text)}, tokens[from:]})
		}
		cut := sentenceStart(text, tokens, from, from+next)
		out = append(out, passage{Span{start, tokens[cut].Start}, tokens[from:cut]})
		from, start = cut, tokens[cut].Start
	}
}

// sentenceStart returns the last beginning of a sentence among the words before
// tokens[at], or at.
func sentenceStart(text string, tokens []analysis.Token, from, at int) int {
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

// countTerms returns the terms of tokens, each once, and how many words they are.
func countTerms(tokens []analysis.Token, counts func(*analysis.Token) bool) (terms []postings.Term, words uint32) {
	at := make(map[string]int, len(tokens))
	for i := range tokens {
		t := &tokens[i]
		if counts(t) {
			words++
		}
		k, ok := at[t.Term]
		if !ok {
			k = len(terms)
			at[t.Term] = k
			terms = append(terms, postings.Term{Text: t.Term})
		}
		terms[k].Freq++
	}
	return terms, words
}

// alignBack returns the beginning of the rune at the offset.
func alignBack(text string, at int) int {
	for at > 0 && at < len(text) && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}
