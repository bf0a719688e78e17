package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// abbreviations end in a full stop that ends no sentence.
var abbreviations = words(`e.g i.e etc vs mr mrs ms dr st no approx fig ca cf resp incl z.b d.h bzw usw bspw p.ex sr sra`)

// sentences splits a block. A full stop within a number, a name of a file, back
// quotes or brackets ends nothing; neither does one after an abbreviation.
func sentences(block string) []string {
	var out []string
	start, quoted, depth := 0, false, 0
	add := func(end int) {
		if s := strings.TrimSpace(block[start:end]); utf8.RuneCountInString(s) >= minSentence && len(s) <= maxSentence {
			out = append(out, s)
		}
		start = end
	}
	for i, r := range block {
		switch r {
		case '`':
			quoted = !quoted && strings.Contains(block[i+1:], "`")
		case '(', '[':
			depth++
		case ')', ']':
			depth = max(0, depth-1)
		case '。', '！', '？', '．':
			if !quoted {
				add(i + utf8.RuneLen(r))
			}
		case '.', '!', '?', '…':
			end := i + utf8.RuneLen(r)
			if !quoted && depth == 0 && ends(block, start, i, end) {
				add(end)
			}
		}
	}
	add(len(block))
	return out
}

// ends says whether the sign at block[at:end] ends the sentence that began at
// start.
func ends(block string, start, at, end int) bool {
	if end == len(block) {
		return false // the rest is added anyway
	}
	next, _ := utf8.DecodeRuneInString(block[end:])
	if next != ' ' && next != '"' {
		return false
	}
	if block[at] != '.' {
		return true
	}
	if after, _ := utf8.DecodeRuneInString(strings.TrimLeft(block[end:], " ")); at > start && block[at-1] == '.' && unicode.IsLower(after) {
		return false // the thought goes on...
	}
	word := strings.ToLower(block[start:at])
	word = strings.Trim(word[strings.LastIndexAny(word, " (")+1:], `"'`)
	if abbreviations[word] {
		return false
	}
	before, _ := utf8.DecodeLastRuneInString(block[start:at])
	return utf8.RuneCountInString(word) > 1 || !unicode.IsLetter(before) // an initial
}

// words makes a set of the words of a text.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.Fields(s) {
		set[w] = true
	}
	return set
}

// tokens are the words of a text in lower case, without the signs around them.
func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && r != '_'
	})
}
