package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Bounds on a sentence. A longer one is hardly something that a person says.
const (
	minSentence = 4   // runes
	maxSentence = 600 // bytes
)

// abbreviations end in a full stop that ends no sentence.
var abbreviations = words(`e.g i.e etc vs mr mrs ms dr st no approx fig ca cf resp incl z.b d.h bzw usw bspw p.ex sr sra`)

// sentences splits a block. A full stop within a number, a name of a file, back
// quotes or brackets ends nothing, and neither does one after an abbreviation.
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
			if !quoted && depth == 0 && endsSentence(block[start:i], r, block[i+utf8.RuneLen(r):]) {
				add(i + utf8.RuneLen(r))
			}
		}
	}
	add(len(block))
	return out
}

// endsSentence says whether a sign ends the sentence before it.
func endsSentence(before string, sign rune, after string) bool {
	if after == "" {
		return false // what is left is a sentence anyway
	}
	if after[0] != ' ' && after[0] != '"' {
		return false
	}
	if sign != '.' {
		return true
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
	if strings.HasSuffix(before, ".") && unicode.IsLower(next) {
		return false // the thought goes on...
	}
	word := strings.ToLower(before)
	word = strings.Trim(word[strings.LastIndexAny(word, " (")+1:], `"'`)
	last, _ := utf8.DecodeLastRuneInString(before)
	initial := utf8.RuneCountInString(word) <= 1 && unicode.IsLetter(last)
	return !abbreviations[word] && !initial
}

// tokens are the words of a text in lower case, without the signs around them.
func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && r != '_'
	})
}
