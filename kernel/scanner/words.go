package scanner

import (
	"iter"
	"strings"
)

// Rules without keywords run over words: runs of the characters of tokens, of
// twenty or more, with letters and digits. What is cheap to see in a word is
// looked at first, by the test that the rule names.

// leastWord is the length of the shortest word that is looked at.
const leastWord = 20

// wordTests are the names that a rule may use in runs.
var wordTests = map[string]func(word string) bool{
	"prefixed": hasRandomTail,
	"parts": func(w string) bool {
		return hasRandomPart(w, 10) && strings.ContainsAny(w, ".:-") || strings.Contains(w, "JQQJ99") || strings.Contains(w, "msh")
	},
	"random": looksRandom,
}

// eachWord calls f for the words of a text.
func eachWord(text string, f func(s span)) {
	for s := range runs(text, kindWord) {
		if s.end-s.start >= leastWord && hasBoth(text[s.start:s.end]) {
			f(s)
		}
	}
}

// hasRandomTail reports whether a word has such a part behind a separator.
func hasRandomTail(w string) bool {
	at := strings.IndexAny(w, "_-")
	return at >= 0 && hasRandomPart(w[at:], 20)
}

func looksRandom(w string) bool { return hasRandomPart(w, 10) && turns(w)*4 >= len(w) }

// hasRandomPart reports whether a run of letters and digits in a word has at least
// so many and turns often.
func hasRandomPart(w string, least int) bool {
	for part := range parts(w) {
		if len(part) >= least && turns(part)*4 >= len(part) {
			return true
		}
	}
	return false
}

// parts yields the runs of letters and digits of a word.
func parts(w string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s := range runs(w, kindAlnum) {
			if !yield(w[s.start:s.end]) {
				return
			}
		}
	}
}
