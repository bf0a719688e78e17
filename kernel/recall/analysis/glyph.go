package analysis

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// glyph is a rune of the normalised text and the bytes of the source it comes
// from. Normalisation may make several of one, or one of several.
type glyph struct {
	r          rune
	start, end int32
}

// glyphs normalises text to NFKC and drops format characters, which are
// invisible (soft hyphens, joiners); a zero width space separates words.
func glyphs(text string) []glyph {
	out := make([]glyph, 0, len(text))
	if isASCII(text) {
		for i := range len(text) {
			out = append(out, glyph{rune(text[i]), int32(i), int32(i + 1)})
		}
		return out
	}
	var it norm.Iter
	it.InitString(norm.NFKC, blankInvalid(text))
	for !it.Done() {
		start := it.Pos()
		segment := it.Next()
		end := it.Pos()
		for len(segment) > 0 {
			r, n := utf8.DecodeRune(segment)
			segment = segment[n:]
			if r == '\u200b' || !unicode.Is(unicode.Cf, r) {
				out = append(out, glyph{r, int32(start), int32(end)})
			}
		}
	}
	return out
}

// blankInvalid puts a space in place of each byte that is no UTF-8, so that
// offsets stay. norm.Iter does not end on some of them: an invalid byte with a
// combining mark behind it, such as "I\xf6\u0302" (x/text 0.37.0).
func blankInvalid(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	out := []byte(text)
	for i := 0; i < len(out); {
		r, n := utf8.DecodeRune(out[i:])
		if r == utf8.RuneError && n == 1 {
			out[i] = ' '
		}
		i += n
	}
	return string(out)
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
