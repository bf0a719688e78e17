package scanner

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalise returns the view without invisible characters and with characters
// that look like ASCII as ASCII: compatibility forms (fullwidth, mathematical
// letters), tag characters, Cyrillic and Greek look-alikes. It returns nil if
// nothing changes; a text of ASCII is not looked at twice.
func normalise(v *view) *view {
	if isASCII(v.text) {
		return nil
	}
	b := newViewBuilder(v)
	for i := 0; i < len(v.text); {
		r, n := utf8.DecodeRuneInString(v.text[i:])
		switch c, ok := fold(r); {
		case ok && c == 0:
			b.touch()
		case ok:
			b.add(string(c), i, i+n)
		default:
			b.keep(i, i+n)
		}
		i += n
	}
	if len(b.marks) == 0 {
		return nil
	}
	return b.view(viewNormalised)
}

// fold returns the ASCII character that r passes for, or 0 if it is invisible.
func fold(r rune) (rune, bool) {
	switch {
	case r < utf8.RuneSelf:
		return 0, false
	case invisible(r):
		return 0, true
	case r >= 0xE0020 && r <= 0xE007E: // tag characters
		return r - 0xE0000, true
	case r >= 0xFF01 && r <= 0xFF5E: // fullwidth forms
		return r - 0xFEE0, true
	case r == 0xA0 || r >= 0x2000 && r <= 0x200A || r == 0x202F || r == 0x205F || r == 0x3000:
		return ' ', true
	case r >= 0x2E80 && r < 0xF900: // CJK and Hangul: nothing there looks like ASCII
		return 0, false
	}
	if c, ok := lookAlikes[r]; ok {
		return c, true
	}
	if unicode.Is(unicode.Latin, r) || r > 0x2000 {
		if d := norm.NFKC.String(string(r)); len(d) == 1 {
			return rune(d[0]), true
		}
	}
	return 0, false
}

// Alike returns the character of ASCII that a reader takes r for, r itself where there is
// none, and -1 for one that can't be seen.
func Alike(r rune) rune {
	switch c, ok := fold(r); {
	case !ok:
		return r
	case c == 0:
		return -1
	default:
		return c
	}
}

// invisible reports whether r has no glyph of its own.
func invisible(r rune) bool {
	switch {
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x115F, r == 0x1160, r == 0x17B4, r == 0x17B5,
		r >= 0x180B && r <= 0x180E, r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F, r == 0x3164, r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, r == 0xFFA0,
		r == 0xE0001, r == 0xE007F, r >= 0xE0100 && r <= 0xE01EF:
		return true
	}
	return false
}

// lookAlikes are the letters of other scripts with the shape of one of ASCII,
// from Unicode's confusables (UTS #39), without those that differ in most
// fonts.
var lookAlikes = map[rune]rune{
	'А': 'A', 'В': 'B', 'С': 'C', 'Е': 'E', 'Н': 'H', 'І': 'I', 'Ј': 'J', 'К': 'K', 'М': 'M',
	'О': 'O', 'Р': 'P', 'Ѕ': 'S', 'Т': 'T', 'Х': 'X', 'У': 'Y', 'Ԁ': 'd', 'Ԛ': 'Q', 'Ԝ': 'W', 'Ѵ': 'V',
	'а': 'a', 'с': 'c', 'ԁ': 'd', 'е': 'e', 'һ': 'h', 'і': 'i', 'ј': 'j', 'ӏ': 'l', 'о': 'o', 'р': 'p',
	'ԛ': 'q', 'ѕ': 's', 'у': 'y', 'х': 'x', 'ѵ': 'v', 'ԝ': 'w', 'г': 'r', 'к': 'k', 'т': 't', 'м': 'm', 'п': 'n',
	'Α': 'A', 'Β': 'B', 'Ε': 'E', 'Ζ': 'Z', 'Η': 'H', 'Ι': 'I', 'Κ': 'K', 'Μ': 'M', 'Ν': 'N', 'Ο': 'O',
	'Ρ': 'P', 'Τ': 'T', 'Υ': 'Y', 'Χ': 'X', 'ο': 'o', 'ν': 'v', 'ι': 'i', 'κ': 'k', 'ρ': 'p', 'α': 'a',
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}
