package analysis

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Sentence is a part of a text that can stand by itself: a sentence, or a line of code.
type Sentence struct {
	Start, End int // byte offsets in the text, without the space around it
	Code       bool
}

// Sentences cuts a text. A line ends a sentence unless the next goes on in small letters.
// The rules of Unicode (UAX 29) have the same signs, but no lists, code, back quotes or
// abbreviations.
func Sentences(text string) (out []Sentence) {
	at, begun, fenced := 0, 0, false
	add := func(end int, code bool) {
		if s := strings.TrimSpace(text[begun:end]); s != "" {
			start := begun + strings.Index(text[begun:end], s)
			out = append(out, Sentence{start, start + len(s), code})
		}
		begun = end
	}
	for line := range strings.Lines(text) {
		fence := strings.HasPrefix(strings.TrimLeft(line, " \t>"), "```")
		code := fence || fenced || isCode(line)
		if begun < at && (code || !goesOn(text[begun:at], line)) {
			add(at, false)
		}
		rest := line
		for n := sentenceEnd(rest); n > 0 && !code; n = sentenceEnd(rest) {
			rest = rest[n:]
			add(at+len(line)-len(rest), false)
		}
		if at += len(line); code {
			add(at, true)
		}
		fenced = fenced != fence
	}
	add(at, false)
	return out
}

// isCode reports whether a line looks like code, a command or a path.
func isCode(line string) bool {
	s := strings.TrimSpace(line)
	if s == "" {
		return false
	}
	first, _, several := strings.Cut(s, " ")
	has := func(sign string) bool { return strings.Contains(s, sign) }
	return strings.ContainsAny(s[len(s)-1:], `{};\`) || !several && strings.ContainsAny(s, "/=(") || first == "$" ||
		strings.ContainsAny(first[:1], "{<") || strings.HasPrefix(first, "//") || strings.IndexAny(first, "({=") > 0 ||
		(line[0] == '\t' || strings.HasPrefix(line, "    ")) && !isMarker(first) ||
		strings.Contains(first, "/") && strings.HasSuffix(first, ":") ||
		(goesOn("-", s) || strings.ContainsAny(first, "/=")) && !strings.ContainsAny(s[len(s)-1:], ".!?:") &&
			slices.ContainsFunc([]string{" -", " && ", " | ", " > "}, has) && !has(" - ") && !has("`")
}

// isMarker reports whether a word begins an item of a list.
func isMarker(word string) bool {
	return strings.Trim(word, "-*+•") == "" || strings.Trim(word, "0123456789.)") == ""
}

// goesOn reports whether a line belongs to the sentence that was begun before it.
func goesOn(before, line string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(line, " "))
	return unicode.IsLower(r) && !strings.HasSuffix(strings.TrimSpace(before), ":") && !strings.ContainsAny(before[:1], "#|")
}

// sentenceEnd returns where the first sentence of a line ends, or 0. A stop within back
// quotes or a word, and one after an abbreviation, ends none.
func sentenceEnd(line string) int {
	quoted := false
	for i, r := range line {
		switch {
		case r == '`':
			quoted = !quoted && strings.Contains(line[i+1:], "`")
		case !quoted && (r == '…' || unicode.Is(unicode.STerm, r)):
			rest := line[i+utf8.RuneLen(r):]
			after := strings.TrimLeft(rest, "\"'*_)]”’»」』）")
			next, _ := utf8.DecodeRuneInString(after)
			goes := r == '.' && abbreviates(line[:i], after) || after != rest && goesOn("-", after)
			if r >= utf8.RuneSelf && r != '…' || after == "" || unicode.IsSpace(next) && !goes {
				return len(line) - len(after)
			}
		}
	}
	return 0
}

// abbreviations are what a full stop may follow that ends no sentence.
var abbreviations = strings.Fields("e.g i.e etc vs mr mrs ms dr st no approx fig cf ca resp incl al z.b d.h bzw usw bspw p.ex sr sra")

// abbreviates reports whether a full stop is that of an abbreviation, an initial or a number
// of a list, or one of several in the middle of a sentence.
func abbreviates(before, after string) bool {
	word := before[strings.LastIndexAny(before, " (*")+1:]
	r, size := utf8.DecodeRuneInString(word)
	return slices.Contains(abbreviations, strings.ToLower(word)) || size == len(word) && unicode.IsLetter(r) || isMarker(strings.TrimSpace(before)) ||
		strings.HasSuffix(before, ".") && goesOn("-", after)
}
