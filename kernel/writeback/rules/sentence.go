package rules

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxSentence is in bytes. A longer one is hardly something that a person says.
const maxSentence = 600

// sentences splits a block. A full stop within a number, a name of a file, back
// quotes or brackets ends nothing, and neither does one after an abbreviation.
func sentences(block string) []string {
	var out []string
	start, quoted, depth, closed := 0, false, 0, strings.LastIndexAny(block, ")]")
	add := func(end int) {
		if s := strings.TrimSpace(block[start:end]); s != "" && len(s) <= maxSentence {
			out = append(out, s)
		}
		start = end
	}
	for i, r := range block {
		switch r {
		case '`':
			quoted = !quoted && i < strings.LastIndexByte(block, '`')
		case '(', '[':
			if i < closed {
				depth++
			}
		case ')', ']':
			depth = max(0, depth-1)
		case '.', '!', '?', '…', '。', '！', '？', '．':
			after := i + utf8.RuneLen(r)
			if !quoted && (r > '…' || depth == 0 && endsSentence(block[start:i], r, block[after:])) {
				add(after)
			}
		}
	}
	add(len(block))
	return out
}

// endsSentence says whether a sign ends the sentence before it.
func endsSentence(before string, sign rune, after string) bool {
	if after == "" || after[0] != ' ' && after[0] != '"' { // what is left is a sentence anyway
		return false
	}
	if sign != '.' {
		return true
	}
	next, _ := utf8.DecodeRuneInString(strings.TrimLeft(after, " "))
	if strings.HasSuffix(before, ".") && unicode.IsLower(next) {
		return false // the thought goes on...
	}
	return !ask("abbreviation").of(strings.Trim(before[strings.LastIndexAny(before, " (")+1:], `"'`))
}

// tokens are the words of a text in lower case, without the signs around them.
func tokens(s string) []string {
	return strings.FieldsFunc(strings.ToLower(s), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '\'' && r != '-' && r != '_'
	})
}
