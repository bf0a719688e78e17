package scanner

import (
	"html"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// maxUnescape is how often escapes are undone: JSON in a string of JSON in a
// string of JSON.
const maxUnescape = 3

// unescape returns the view with the escapes of JSON and of most languages
// undone (\" \\ \/ \n \r \t \b \f \uXXXX \xNN, octal), those of URLs (%XX), of
// quoted-printable (=XX) and the entities of HTML, or nil if there are none. It does
// not ask whether the text is valid JSON: a fragment of a log is worth as much to a
// thief.
func unescape(v *view) *view {
	var b *viewBuilder
	kept, quoted := 0, -1
	for i := 0; i < len(v.text); {
		if kinds[v.text[i]]&kindEscape == 0 {
			i++
			continue
		}
		r, n := escapeAt(v.text[i:])
		if v.text[i] == '=' {
			if r, n = quotedAt(v.text, i, quoted == i); n > 0 {
				quoted = i + n
			}
		}
		if n == 0 {
			i++
			continue
		}
		if b == nil {
			b = newViewBuilder(v)
		}
		b.keep(kept, i)
		if b.touch(); r > 0 {
			b.add(string(r), i, i+n)
		}
		i += n
		kept = i
	}
	if b == nil {
		return nil
	}
	b.keep(kept, len(v.text))
	return b.view(viewUnescaped)
}

// escapeAt returns the character that an escape at the start of s means and the
// escape's length; 0 if there is none.
func escapeAt(s string) (rune, int) {
	switch s[0] {
	case '\\':
		return backslashAt(s)
	case '%':
		return percentAt(s)
	case '&':
		return entityAt(s)
	}
	return 0, 0
}

func backslashAt(s string) (rune, int) {
	if len(s) < 2 {
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
	case '0', '1':
		if len(s) >= 4 {
			if n, err := strconv.ParseUint(s[1:4], 8, 7); err == nil && n >= ' ' {
				return rune(n), 4
			}
		}
	}
	return 0, 0
}

func unicodeAt(s string) (rune, int) {
	if strings.HasPrefix(s, `\u{`) {
		if end := strings.IndexByte(s[:min(len(s), 11)], '}'); end > 3 {
			if n, err := strconv.ParseUint(s[3:end], 16, 32); err == nil && n <= utf8.MaxRune {
				return rune(n), end + 1
			}
		}
		return 0, 0
	}
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

// percentAt reads %XX of a character of ASCII that can be seen, or several that
// are one character of UTF-8.
func percentAt(s string) (rune, int) {
	for n := 3; n <= 3*utf8.UTFMax && n <= len(s); n += 3 {
		plain, err := url.PathUnescape(s[:n])
		if err != nil || 3*len(plain) != n {
			return 0, 0
		}
		r, size := utf8.DecodeRuneInString(plain)
		switch {
		case r == utf8.RuneError || size != len(plain): // the first bytes of a character
		case r < ' ' && r != '\n' && r != '\t':
			return 0, 0
		default:
			return r, n
		}
	}
	return 0, 0
}

// quotedAt reads =XX of quoted-printable (RFC 2045) in a row of two or more, and
// the line end in one, as 0.
func quotedAt(text string, i int, inRow bool) (rune, int) {
	s := text[i:]
	if inRow && strings.HasPrefix(s, "=\n") {
		return 0, 2
	}
	if !inRow && (len(s) < 6 || s[3] != '=') || len(s) < 3 {
		return 0, 0
	}
	if n, err := strconv.ParseUint(s[1:3], 16, 7); err == nil && n >= ' ' {
		return rune(n), 3
	}
	return 0, 0
}

// maxEntity is the length of the longest entity that is looked for.
const maxEntity = 12

// entityAt reads &#NN; &#xNN; and the named entities.
func entityAt(s string) (rune, int) {
	end := strings.IndexByte(s[:min(len(s), maxEntity)], ';')
	if end < 3 {
		return 0, 0
	}
	plain := html.UnescapeString(s[:end+1])
	r, n := utf8.DecodeRuneInString(plain)
	if n != len(plain) || r == utf8.RuneError {
		return 0, 0
	}
	return r, end + 1
}
