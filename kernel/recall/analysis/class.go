package analysis

import "unicode"

// class sorts runes by how they make words.
type class uint8

const (
	classNone   class = iota // separates words
	classWord                // written with spaces between the words
	classHan                 // Han and kana: no spaces
	classHangul              // spaces between phrases, not words
	classThai                // Thai, Lao, Khmer, Myanmar: no spaces
	classMark                // belongs to the rune before it
)

// prolonged is the katakana-hiragana prolonged sound mark. Unicode gives it the
// script Common, but it is part of a kana word.
const prolonged = 'ー'

func classOf(r rune) class {
	if r < 0x80 {
		if isLower(r) || isUpper(r) || isDigit(r) {
			return classWord
		}
		return classNone
	}
	switch {
	case r == prolonged, unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return classHan
	case unicode.IsMark(r):
		return classMark
	case !unicode.IsLetter(r) && !unicode.IsDigit(r):
		return classNone
	case unicode.Is(unicode.Hangul, r):
		return classHangul
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
		return classThai
	}
	return classWord
}

func isLower(r rune) bool { return 'a' <= r && r <= 'z' }
func isUpper(r rune) bool { return 'A' <= r && r <= 'Z' }
func isDigit(r rune) bool { return '0' <= r && r <= '9' }

// isConnector reports whether r, between two words without a space, makes one
// compound of them.
func isConnector(r rune) bool {
	switch r {
	case '_', '-', '.', '/', '\\', ':', '@', '\'', '’', '‐', '‑':
		return true
	}
	return false
}

// isBoundary reports whether a connector separates the components of a path,
// an address or a module version, each of which can be asked for alone.
func isBoundary(r rune) bool { return r == '/' || r == '\\' || r == ':' || r == '@' }

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }
