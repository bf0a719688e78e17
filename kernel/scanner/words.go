package scanner

import "strings"

// Rules without keywords run over words: runs of the characters of tokens, of
// twenty or more, with letters and digits. What is cheap to see in a word is
// looked at first, by the test that the rule names.

// leastWord is the length of the shortest word that is looked at.
const leastWord = 20

// wordTests are the names that a rule may use in runs.
var wordTests = map[string]func(word string) bool{
	"prefixed": hasRandomTail,
	"parts": func(w string) bool {
		return strings.ContainsAny(w, ".:-") || strings.Contains(w, "JQQJ99") || strings.Contains(w, "msh")
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

// hasRandomTail reports whether the longest run of letters and digits in a word,
// behind a separator, is twenty or longer and turns often.
func hasRandomTail(w string) bool {
	at := strings.IndexAny(w, "_-")
	if at < 0 {
		return false
	}
	found := false
	eachPart(w[at:], func(part string) { found = found || len(part) >= 20 && turns(part)*4 >= len(part) })
	return found
}

// eachPart calls f for the runs of letters and digits of a word.
func eachPart(w string, f func(part string)) {
	for s := range runs(w, kindLetter|kindDigit) {
		f(w[s.start:s.end])
	}
}

func looksRandom(w string) bool {
	found := false
	eachPart(w, func(part string) { found = found || len(part) >= 10 && turns(part)*4 >= len(part) })
	return found && turns(w)*4 >= len(w)
}
