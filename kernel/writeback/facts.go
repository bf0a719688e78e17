package writeback

import (
	"regexp"
	"strings"
)

// factForm is what a number, a name or an identifier looks like.
var factForm = regexp.MustCompile("`[^`]+`|[\\w./-]*\\d[\\w./:-]*|--?[a-z][\\w-]+|\\w+_\\w+|[a-z]+[A-Z]\\w*|[~.\\w-]*/[\\w./-]+|\\w+\\.\\w{1,4}\\b")

// factsIn returns what factForm finds in a text. Most words are plain, and searching
// them costs much: it is asked about the others alone. That finds the same, for a
// match is quoted, or lies within one run of the bytes that the other forms have.
func factsIn(text string) []string {
	var out []string
	for i := 0; i < len(text); {
		switch {
		case text[i] == '`':
			n := strings.IndexByte(text[i+1:], '`')
			if n > 0 {
				out = append(out, text[i:i+n+2])
				i += n + 1
			}
			i++
		case inRun(text[i]):
			end := i + 1
			for end < len(text) && inRun(text[end]) {
				end++
			}
			if run := text[i:end]; maybeFact(run) {
				out = append(out, factForm.FindAllString(run, -1)...)
			}
			i = end
		default:
			i++
		}
	}
	return out
}

func inRun(c byte) bool { return isLetter(c) || strings.IndexByte("0123456789_./:~-", c) >= 0 }

func isLetter(c byte) bool { return isLower(c) || isUpper(c) }
func isLower(c byte) bool  { return 'a' <= c && c <= 'z' }
func isUpper(c byte) bool  { return 'A' <= c && c <= 'Z' }

// maybeFact says whether a run is more than letters with a mark behind them: has a
// digit, a mark within, or a capital letter behind a small one.
func maybeFact(run string) bool {
	for i := 0; i < len(run); i++ {
		c := run[i]
		digit := '0' <= c && c <= '9'
		mark := !isLetter(c) && i < len(run)-1
		hump := i > 0 && isLower(run[i-1]) && isUpper(c)
		if digit || mark || hump {
			return true
		}
	}
	return false
}
