package analysis

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// special are the letters that have no canonical decomposition but are commonly
// typed without their stroke or as two letters.
var special = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ł': "l", 'ð': "d",
	'þ': "th", 'ı': "i", 'ħ': "h", 'ŧ': "t", 'ς': "σ", 'ё': "е",
	'أ': "ا", 'إ': "ا", 'آ': "ا", 'ى': "ي",
}

// unaccented maps the accented letters of Latin and Greek to their bases.
// Cyrillic is left out: й is no accented и.
var unaccented = sync.OnceValue(func() map[rune]string {
	table := make(map[rune]string, 1500)
	for _, span := range [][2]rune{{0xC0, 0x24F}, {0x370, 0x3FF}, {0x1E00, 0x1FFF}} {
		for r := span[0]; r <= span[1]; r++ {
			base := strings.Map(dropMark, norm.NFD.String(string(r)))
			if base != string(r) && base != "" {
				table[r] = strings.ToLower(base)
			}
		}
	}
	for r, s := range special {
		table[r] = s
	}
	return table
})

func dropMark(r rune) rune {
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	return r
}

// fold returns the glyphs in lower case without accents, at most MaxTermBytes
// long. Apostrophes and connectors are dropped.
func fold(gs []glyph) string { return string(appendFolded(nil, gs)) }

// lookup returns the word of the glyphs.
func lookup(gs []glyph) word {
	var buf [MaxTermBytes]byte
	return known.lookup(appendFolded(buf[:0], gs))
}

func appendFolded(b []byte, gs []glyph) []byte {
	accents := false // whether the last base is of a script whose marks are accents
	for _, g := range gs {
		if len(b) > MaxTermBytes-8 { // a folded rune is at most 8 bytes
			break
		}
		r := g.r
		switch {
		case r < 0x80:
			accents = true
			if isUpper(r) {
				r += 'a' - 'A'
			}
			if isLower(r) || isDigit(r) {
				b = append(b, byte(r))
			}
		case unicode.IsMark(r):
			if !accents {
				b = utf8.AppendRune(b, r)
			}
		case isConnector(r):
		default:
			accents = marksAreAccents(r)
			r = unicode.ToLower(r)
			if s, ok := unaccented()[r]; ok {
				b = append(b, s...)
			} else {
				b = utf8.AppendRune(b, r)
			}
		}
	}
	return b
}

func marksAreAccents(r rune) bool {
	return unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic, unicode.Arabic, unicode.Hebrew)
}
