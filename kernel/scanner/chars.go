package scanner

import "iter"

// Kinds of bytes, in a table: every byte of every view is asked for them.
const (
	kindToken  = 1 << iota // of a token: letters, digits, _+/=~-
	kindWord               // of a word: those, a dot and a colon
	kindChunk              // of a chunk: those, and @
	kindCoded              // of base64, base64url and hexadecimal
	kindLetter             // of ASCII
	kindDigit
	kindBlank
)

var kinds = func() (t [256]uint8) {
	set := func(s string, kind uint8) {
		for i := range len(s) {
			t[s[i]] |= kind
		}
	}
	const letters, digits = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	set(letters, kindLetter)
	set(digits, kindDigit)
	set(letters+digits+"_+/=~-", kindToken|kindWord|kindChunk)
	set(".:", kindWord|kindChunk)
	set("@", kindChunk)
	set(letters+digits+"+/-_", kindCoded)
	set(" \t\n\v\f\r", kindBlank)
	return t
}()

func isToken(c byte) bool  { return kinds[c]&kindToken != 0 }
func isWord(c byte) bool   { return kinds[c]&kindWord != 0 }
func isChunk(c byte) bool  { return kinds[c]&kindChunk != 0 }
func isCoded(c byte) bool  { return kinds[c]&kindCoded != 0 }
func isLetter(c byte) bool { return kinds[c]&kindLetter != 0 }
func isDigit(c byte) bool  { return kinds[c]&kindDigit != 0 }
func isAlnum(c byte) bool  { return kinds[c]&(kindLetter|kindDigit) != 0 }
func isBlank(c byte) bool  { return kinds[c]&kindBlank != 0 }

// hasBoth reports whether there are letters and digits of ASCII in s.
func hasBoth(s string) bool {
	const both = kindLetter | kindDigit
	found := uint8(0)
	for i := range len(s) {
		found |= kinds[s[i]]
	}
	return found&both == both
}

// runEnd returns where the run of bytes of a kind that begins at i ends.
func runEnd(text string, i int, kind uint8) int {
	for i < len(text) && kinds[text[i]]&kind != 0 {
		i++
	}
	return i
}

// runs yields the runs of bytes of a kind.
func runs(text string, kind uint8) iter.Seq[span] {
	return func(yield func(span) bool) {
		for i := 0; i < len(text); {
			end := runEnd(text, i, kind)
			if end > i && !yield(span{i, end}) {
				return
			}
			i = max(end, i+1)
		}
	}
}
