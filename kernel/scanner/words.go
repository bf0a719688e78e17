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
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		j := i + 1
		var letter, digit bool
		for k := i; k < len(text) && isWord(text[k]); k++ {
			c := text[k]
			digit = digit || c >= '0' && c <= '9'
			letter = letter || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
			j = k + 1
		}
		if j-i >= leastWord && letter && digit {
			f(span{i, j})
		}
		i = j
	}
}

// hasRandomTail says whether the longest run of letters and digits in a word,
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
	for i := 0; i < len(w); {
		if !isAlnum(w[i]) {
			i++
			continue
		}
		j := i + 1
		for j < len(w) && isAlnum(w[j]) {
			j++
		}
		f(w[i:j])
		i = j
	}
}

func looksRandom(w string) bool {
	found := false
	eachPart(w, func(part string) { found = found || len(part) >= 10 && turns(part)*4 >= len(part) })
	return found && turns(w)*4 >= len(w)
}
