package scanner

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxUnescape is how often escapes are undone: JSON in a string of JSON in a
// string of JSON.
const maxUnescape = 3

// unescape returns the view with the escapes of JSON and of most languages
// undone (\" \\ \/ \n \r \t \b \f \uXXXX \xNN), or nil if there are none. It
// does not ask whether the text is valid JSON: a fragment of a log is worth as
// much to a thief.
func unescape(v *view) *view {
	if strings.IndexByte(v.text, '\\') < 0 {
		return nil
	}
	b := newViewBuilder(v)
	changed := false
	for i := 0; i < len(v.text); {
		r, n := escapeAt(v.text[i:])
		if n == 0 {
			b.keep(i, i+1)
			i++
			continue
		}
		b.rune(r, i, i+n)
		i += n
		changed = true
	}
	if !changed {
		return nil
	}
	return b.view(v.kind&^viewRaw | viewUnescaped)
}

// escapeAt returns the character that an escape at the start of s means and the
// escape's length; 0 if there is none.
func escapeAt(s string) (rune, int) {
	if len(s) < 2 || s[0] != '\\' {
		return 0, 0
	}
	switch s[1] {
	case '"', '\'', '\\', '/', '`':
		return rune(s[1]), 2
	case 'n', 'r':
		return '\n', 2
	case 't', 'b', 'f':
		return ' ', 2
	case 'x':
		return hexAt(s, 2)
	case 'u':
		return unicodeAt(s)
	}
	return 0, 0
}

func unicodeAt(s string) (rune, int) {
	r, n := hexAt(s, 4)
	if n == 0 || !utf16.IsSurrogate(r) {
		return r, n
	}
	if len(s) >= n+2 && s[n] == '\\' && s[n+1] == 'u' {
		if low, m := hexAt(s[n:], 4); m > 0 {
			if full := utf16.DecodeRune(r, low); full != utf8.RuneError {
				return full, n + m
			}
		}
	}
	return utf8.RuneError, n
}

// hexAt reads the given number of hexadecimal digits after two bytes.
func hexAt(s string, digits int) (rune, int) {
	if len(s) < 2+digits {
		return 0, 0
	}
	n, err := strconv.ParseUint(s[2:2+digits], 16, 32)
	if err != nil {
		return 0, 0
	}
	return rune(n), 2 + digits
}
