package rules

import (
	"slices"
	"unicode/utf8"
)

// topicLength is how many bytes of a word count: motivates, motivation.
const topicLength = 7

// topics are the words of a text that say what it is about: not how it feels, when
// it was, and how it is.
func topics(words map[string]bool) map[string]bool {
	out := map[string]bool{}
	for w := range words {
		if len(w) < 3 || number(w) || w == "said" || w == "showed" || empty[w] || moodWords[w] || hollow[w] || qualities[w] || adverbsOf[w] || bounds[w] || determiners[w] || calendar[w] {
			continue
		}
		out[w[:min(len(w), topicLength)]] = true
	}
	return out
}

// again says whether a sentence of each of two entries about the user's life tells
// of the same.
func again(e, old *entry) bool {
	if !ofLife(e.Candidate) || !ofLife(old.Candidate) || e.slot != "" || old.slot != "" {
		return false
	}
	for _, a := range e.parts {
		for _, b := range old.parts {
			if alike(a, b) {
				return true
			}
		}
	}
	return false
}

// alike says whether two sentences share at least two of their topics, and two
// thirds of those of the shorter one; or have only one, and that is the same.
func alike(a, b map[string]bool) bool {
	common, shorter := shared(a, b), min(len(a), len(b))
	return common >= 2 && common*3 >= 2*shorter || common == 1 && shorter == 1
}

// partsOf are the topics of each sentence of a content.
func partsOf(content string) []map[string]bool {
	var out []map[string]bool
	for _, s := range sentences(content) {
		words := map[string]bool{}
		for _, w := range tokens(s) {
			words[stem(w)] = true
		}
		out = append(out, topics(words))
	}
	return out
}

// join puts two entries that tell of the same into one, if there is room or the
// later one says nothing new; the surer one gives what holds for both.
func (x *extraction) join(old, e *entry) bool {
	content, parts := old.Content, old.parts
	if !nothingNew(e, old) {
		if utf8.RuneCountInString(content)+utf8.RuneCountInString(e.Content) >= maxContent {
			return false
		}
		content, parts = content+" "+e.Content, slices.Concat(old.parts, e.parts)
	}
	words := e.words
	for w := range old.words {
		words[w] = true
	}
	x.merge(old, e)
	old.Content, old.parts, old.words = content, parts, words
	old.Tags = tags(old.Candidate)
	return true
}

// nothingNew says whether each sentence of an entry has nothing but what one of
// another has.
func nothingNew(e, old *entry) bool {
	for _, a := range e.parts {
		if !slices.ContainsFunc(old.parts, func(b map[string]bool) bool { return shared(a, b) == len(a) }) {
			return false
		}
	}
	return true
}
