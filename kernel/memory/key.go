package memory

import (
	"strconv"
	"strings"
	"unicode"
)

const (
	keyWords = 6  // words of the content that make a key
	keyRunes = 60 // and at most so many runes
)

// DeriveKey makes a key from content: its first six words in lower case, joined
// by hyphens, of the letters, marks and digits of any script. It is "entry" when
// there are none.
func DeriveKey(content string) string {
	var b strings.Builder
	words, runes, inWord := 0, 0, false
	for _, r := range content {
		if words > keyWords || runes > keyRunes {
			break
		}
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r):
			if !inWord {
				if words++; words > keyWords {
					break
				}
				if words > 1 {
					b.WriteByte('-')
					runes++
				}
				inWord = true
			}
			b.WriteRune(unicode.ToLower(r))
			runes++
		case inWord && (r == '\'' || r == '’'): // "don't" is one word
		default:
			inWord = false
		}
	}
	if b.Len() == 0 {
		return "entry"
	}
	return strings.TrimRight(Cut(b.String(), keyRunes), "-")
}

// Cut returns at most so many characters of the beginning of s, and takes no letter
// apart from its accents, which may be characters of their own (UAX #15).
func Cut(s string, most int) string {
	whole, n := 0, 0 // bytes before the last letter
	for i, r := range s {
		if !unicode.IsMark(r) && r != '\u200d' {
			whole = i
		}
		if n == most {
			return s[:whole]
		}
		n++
	}
	return s
}

// derivedFrom reports whether the key is the one that the content would get, with
// or without a number.
func derivedFrom(key, content string) bool {
	rest, ok := strings.CutPrefix(key, DeriveKey(content))
	if number, numbered := strings.CutPrefix(rest, "-"); ok && numbered {
		_, err := strconv.ParseUint(number, 10, 32)
		return err == nil
	}
	return ok && rest == ""
}

// keyStale reports whether the key that e has in common with its former state was
// derived from a text that e no longer has. Such a key is still the entry's name,
// but its words say nothing about the text.
func keyStale(old, e *Entry) bool {
	if e.Key != old.Key || derivedFrom(e.Key, e.Content) {
		return false
	}
	return old.KeyStale || e.Content != old.Content && derivedFrom(old.Key, old.Content)
}

func numberedKey(base string, n int) string { return base + "-" + strconv.Itoa(n) }
