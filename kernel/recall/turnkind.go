package recall

import (
	"slices"
	"strings"
	"unicode"
)

// kinds are what a question may want to know.
type kinds struct{ time, number bool }

// whenWords and manyWords ask for a time and for a number; time and number words
// answer them. English alone: other languages go without.
var (
	whenWords = []string{"when", "how long", "how often", "what date", "what day", "what time", "what year", "what month", "which date", "which day", "which year", "which month"}
	manyWords = []string{"how many", "how much", "how old", "how long", "how far", "what number", "how tall", "how big"}
	timeWords = wordsOf(`yesterday today tonight tomorrow ago last next week weeks weekend
		weekends month months year years day days morning afternoon evening recently since
		monday tuesday wednesday thursday friday saturday sunday january february march
		april may june july august september october november december spring summer autumn
		winter daily weekly monthly yearly`)
	numberWords = wordsOf(`one two three four five six seven eight nine ten eleven twelve
		twenty thirty forty fifty hundred thousand once twice couple dozen half`)
)

func wordsOf(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// lowerWords are the words of a text as they are written, in lower case.
func lowerWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
}

// wanted says what kind of answer a query wants.
func wanted(query string) kinds {
	words := lowerWords(query)
	return kinds{time: contains(words, whenWords), number: contains(words, manyWords)}
}

// contains reports whether one of the phrases is among the words.
func contains(words, phrases []string) bool {
	text := " " + strings.Join(words, " ") + " "
	return slices.ContainsFunc(phrases, func(p string) bool { return strings.Contains(text, " "+p+" ") })
}

// told says what kinds of answer a text may hold.
func told(text string) kinds {
	var k kinds
	for _, w := range lowerWords(text) {
		digits := w[0] >= '0' && w[0] <= '9'
		k.time = k.time || timeWords[w]
		k.number = k.number || digits || numberWords[w]
	}
	return k
}
