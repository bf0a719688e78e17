package scanner

import (
	"iter"
	"strings"
	"unicode/utf8"
)

// Kinds of bytes, in a table: every byte of every view is asked for them.
const (
	kindToken  = 1 << iota // of a token: letters, digits, _+/=~-
	kindWord               // of a word: those, a dot and a colon
	kindChunk              // of a chunk: those, and @
	kindCoded              // of base64, base64url and hexadecimal
	kindName               // of a name: letters, digits, _.-
	kindValue              // of a value that is assigned
	kindTail               // of a token behind its prefix
	kindDotted             // of a token, a dot, or not of ASCII
	kindOdd                // of no word of a language
	kindLower
	kindUpper
	kindDigit
	kindWide // not of ASCII
	kindBlank
	kindInk // not blank
	kindQuote
	kindMarkup // of markup, and brackets
	kindStop   // ends a clause
	kindEscape // begins an escape
	kindPart   // of a part of a token: letters, digits, _-
	kindPlain  // of no expression: neither blank, quote, bracket nor what divides

	kindLetter = kindLower | kindUpper
	kindAlnum  = kindLetter | kindDigit
)

var kinds = func() (t [256]uint32) {
	set := func(s string, kind uint32) {
		for i := range len(s) {
			t[s[i]] |= kind
		}
	}
	const lower, upper, digits = "abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ", "0123456789"
	const blanks = " \t\n\v\f\r"
	set(lower, kindLower)
	set(upper, kindUpper)
	set(digits, kindDigit|kindOdd)
	set(lower+upper+digits, kindToken|kindWord|kindChunk|kindCoded|kindName|kindValue|kindTail|kindDotted|kindPart)
	set("_+/=~-", kindToken|kindWord|kindChunk|kindTail|kindDotted)
	set("+/-_", kindCoded)
	set("_.-", kindName)
	set("_-", kindPart)
	set("\\%&=", kindEscape)
	set(".:", kindWord|kindChunk)
	set("@", kindChunk)
	set("_.-+/=~$!@%\"'`", kindValue)
	set(".:|%^#$!@", kindTail)
	set(".", kindDotted)
	set("!@#$%^&*?+~=\"'`", kindOdd)
	set(blanks, kindBlank)
	set("\"'`", kindQuote)
	set("<>()[]{}*|&#,", kindMarkup)
	set(".!?:~_", kindStop)
	for c := range t {
		if c >= utf8.RuneSelf {
			t[c] |= kindWide | kindOdd | kindDotted
		}
		if t[c]&kindBlank == 0 {
			t[c] |= kindInk
			if strings.IndexByte("\"'`/:=|\\(){}[]<>", byte(c)) < 0 {
				t[c] |= kindPlain
			}
		}
	}
	return t
}()

func isToken(c byte) bool  { return kinds[c]&kindToken != 0 }
func isChunk(c byte) bool  { return kinds[c]&kindChunk != 0 }
func isCoded(c byte) bool  { return kinds[c]&kindCoded != 0 }
func isName(c byte) bool   { return kinds[c]&kindName != 0 }
func isLetter(c byte) bool { return kinds[c]&kindLetter != 0 }
func isDigit(c byte) bool  { return kinds[c]&kindDigit != 0 }
func isAlnum(c byte) bool  { return kinds[c]&kindAlnum != 0 }
func isBlank(c byte) bool  { return kinds[c]&kindBlank != 0 }
func isQuote(c byte) bool  { return kinds[c]&kindQuote != 0 }

// kindsOf returns the kinds of all bytes of s.
func kindsOf(s string) (found uint32) {
	for i := range len(s) {
		found |= kinds[s[i]]
	}
	return found
}

// hasBoth reports whether there are letters and digits of ASCII in s.
func hasBoth(s string) bool {
	k := kindsOf(s)
	return k&kindLetter != 0 && k&kindDigit != 0
}

// isMixed reports whether a word has letters and digits; other scripts may have
// either.
func isMixed(w string) bool {
	k := kindsOf(w)
	return k&(kindLetter|kindWide) != 0 && k&(kindDigit|kindWide) != 0
}

// threeKinds reports whether s has small letters, capitals and digits.
func threeKinds(s string) bool {
	const all = kindLower | kindUpper | kindDigit
	return kindsOf(s)&all == all
}

// isOdd reports whether a word has what words of a language have not.
func isOdd(w string) bool { return kindsOf(w)&kindOdd != 0 }

// turns counts how often the kind of a character changes: capital, small, digit.
func turns(s string) int {
	n, last := 0, uint32(0)
	for i := range len(s) {
		kind := kinds[s[i]] & kindAlnum
		if kind == 0 {
			continue
		}
		if last != 0 && kind != last {
			n++
		}
		last = kind
	}
	return n
}

// runEnd returns where the run of bytes of a kind that begins at i ends.
func runEnd(text string, i int, kind uint32) int {
	for i < len(text) && kinds[text[i]]&kind != 0 {
		i++
	}
	return i
}

// runWithin is runEnd of the next most bytes.
func runWithin(text string, i, most int, kind uint32) int {
	return runEnd(text[:min(len(text), i+most)], i, kind)
}

// runs yields the runs of bytes of a kind.
func runs(text string, kind uint32) iter.Seq[span] {
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
