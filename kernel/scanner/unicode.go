package scanner

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// hidden is a run of characters that a reader can't see, or that change what a
// reader sees.
type hidden struct {
	rule string
	at   span
}

// unicodeRules are the ids of what findHidden reports, with descriptions.
var unicodeRules = map[string]string{
	"unicode-control":    "Control character",
	"unicode-tag":        "Unicode tag characters, which are invisible",
	"unicode-bidi":       "Bidirectional override, which reorders what is shown",
	"unicode-zero-width": "Invisible character",
	"unicode-variation":  "Variation selectors without a character that has variations",
	"unicode-nonchar":    "Unicode noncharacter",
	"unicode-mixed":      "Word with look-alikes from another script",
}

// findHidden looks at every character of the text. What a script or an emoji
// needs is let pass: ZWJ between emoji or after a virama, ZWNJ and ZWJ between
// letters of scripts that join, direction marks in a text of such a script,
// variation selectors after emoji and ideographs, the tags of flags.
func findHidden(text string) []hidden {
	var out []hidden
	rtl := sync.OnceValue(func() bool { return strings.ContainsFunc(text, isRTL) })
	var prev rune
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		rule, length := "", n
		switch {
		case r == '\t' || r == '\n' || r == '\r':
		case unicode.IsControl(r):
			rule = "unicode-control"
		case r < 0xAD:
		case r >= 0xE0001 && r <= 0xE007F:
			rule, length = tags(text[i:], prev)
		case r >= 0x202A && r <= 0x202E || r >= 0x2066 && r <= 0x2069:
			rule = "unicode-bidi"
		case r == 0x200E || r == 0x200F || r == 0x61C:
			if !rtl() {
				rule = "unicode-zero-width"
			}
		case r == 0x200C || r == 0x200D:
			next, _ := utf8.DecodeRuneInString(text[i+n:])
			if !joins(r, prev, next) {
				rule = "unicode-zero-width"
			}
		case r == 0xFEFF && i == 0: // a byte order mark
		case r == 0x200B, r == 0xFEFF, r == 0x180E, r >= 0x2060 && r <= 0x2065, r >= 0x206A && r <= 0x206F,
			r == 0x115F, r == 0x1160, r == 0x3164, r == 0xFFA0:
			rule = "unicode-zero-width"
		case r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF:
			if !varies(prev, r) {
				rule = "unicode-variation"
			}
		case r&0xFFFE == 0xFFFE, r >= 0xFDD0 && r <= 0xFDEF:
			rule = "unicode-nonchar"
		}
		if rule != "" {
			out = appendHidden(out, rule, span{i, i + length})
		}
		i += length
		prev = r
	}
	return out
}

// findMixed finds words of Latin letters in which letters of another script stand
// for ones that look like them: Cyrillic ones of which all are look-alikes,
// Greek ones between Latin ones (a formula has them at its edges).
func findMixed(text string) []hidden {
	var out []hidden
	latin, alike, other, between := 0, 0, 0, false
	start := 0
	var prev rune
	flush := func(end int) {
		if latin > 1 && alike > 0 && other == 0 && between {
			out = append(out, hidden{"unicode-mixed", span{start, end}})
		}
		latin, alike, other, between = 0, 0, 0, false
	}
	for i, r := range text {
		if !unicode.IsLetter(r) {
			flush(i)
			start, prev = i+utf8.RuneLen(r), 0
			continue
		}
		_, looks := lookAlikes[r]
		switch {
		case r < utf8.RuneSelf:
			between = between || prev != 0 && !unicode.Is(unicode.Latin, prev)
			latin++
		case looks && unicode.Is(unicode.Cyrillic, r):
			between = true
			alike++
		case looks:
			alike++
		default:
			other++
		}
		prev = r
	}
	flush(len(text))
	return out
}

// appendHidden makes one finding of a run.
func appendHidden(out []hidden, rule string, at span) []hidden {
	if k := len(out) - 1; k >= 0 && out[k].rule == rule && out[k].at.end == at.start {
		out[k].at.end = at.end
		return out
	}
	return append(out, hidden{rule, at})
}

// tags reads a run of tag characters. After a black flag, a short one that ends
// in the cancel tag is the flag of a region (UTS #51, ED-14a).
func tags(s string, prev rune) (rule string, length int) {
	rest := strings.TrimLeftFunc(s, func(r rune) bool { return r >= 0xE0001 && r <= 0xE007F })
	run := s[:len(s)-len(rest)]
	last, _ := utf8.DecodeLastRuneInString(run)
	if prev == 0x1F3F4 && last == 0xE007F && utf8.RuneCountInString(run) <= 7 {
		return "", len(run)
	}
	return "unicode-tag", len(run)
}

// joins reports whether a joiner or non-joiner has work to do between two
// characters.
func joins(r, prev, next rune) bool {
	if joining(prev) && (joining(next) || unicode.IsSpace(next) || unicode.IsPunct(next)) {
		return true
	}
	return r == 0x200D && (emoji(prev) || prev == 0xFE0F) && emoji(next)
}

// joining reports whether r is of a script whose letters join or stack.
func joining(r rune) bool {
	return unicode.In(r, unicode.Arabic, unicode.Syriac, unicode.Mongolian, unicode.Nko, unicode.Devanagari,
		unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil, unicode.Telugu,
		unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Tibetan)
}

func emoji(r rune) bool {
	return r >= 0x1F000 && r <= 0x1FAFF || r >= 0x2190 && r <= 0x2BFF || r == 0x3030 || r == 0x303D ||
		r == 0x3297 || r == 0x3299 || r == 0xA9 || r == 0xAE || r == 0x203C || r == 0x2049 || r == 0x2122 || r == 0x2139
}

// varies reports whether prev has the variation that the selector asks for.
func varies(prev, selector rune) bool {
	switch {
	case selector >= 0xE0100 || selector < 0xFE0E:
		return unicode.In(prev, unicode.Han, unicode.Mongolian) || unicode.Is(unicode.Sm, prev)
	default: // text and emoji presentation
		return emoji(prev) || prev == '#' || prev == '*' || prev >= '0' && prev <= '9' || unicode.Is(unicode.Han, prev)
	}
}

// isRTL reports whether r is of a script that is written from right to left.
func isRTL(r rune) bool {
	return unicode.In(r, unicode.Hebrew, unicode.Arabic, unicode.Syriac, unicode.Thaana, unicode.Nko)
}
