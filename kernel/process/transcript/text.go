package transcript

import (
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// How much of a text a turn keeps, in runes: the head and the tail, where a
// command's error and a build's verdict stand.
const (
	maxText   = 100_000 // what a person or an agent says
	maxResult = 4_000   // what a tool answers
	maxArgs   = 1_000   // what a tool is asked
	maxArg    = 400     // one argument
	maxName   = 200     // titles, models, branches, names of tools
	maxTitle  = 80      // a title made of the first request
)

// escapes are the terminal's control sequences: ECMA-48 CSI, and OSC as xterm
// ends them.
var escapes = regexp.MustCompile(`\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[()][0-9A-Za-z]|.)?`)

// clean makes text safe to keep: UTF-8, lines that end in a newline, no control
// characters but newline and tab, no spaces around.
func clean(s string) string {
	if strings.IndexByte(s, 0x1b) >= 0 {
		s = escapes.ReplaceAllString(s, "")
	}
	s = strings.Map(func(r rune) rune {
		if r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 {
			return -1
		}
		return r // an invalid byte comes as U+FFFD
	}, strings.ReplaceAll(s, "\r\n", "\n"))
	return strings.TrimSpace(s)
}

// cut keeps the head and the tail of a text above limit runes.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	n := utf8.RuneCountInString(s)
	if n <= limit {
		return s
	}
	head := byteOf(s, limit/2)
	tail := byteOf(s, n-limit/2)
	return s[:head] + fmt.Sprintf("\n[... %d characters left out ...]\n", n-limit/2*2) + s[tail:]
}

// byteOf returns where the n-th rune of s begins.
func byteOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// short is a text on one line, of at most limit runes.
func short(s string, limit int) string {
	if len(s) > 4*limit+64 { // white space aside, no more can be shown
		s = s[:4*limit+64]
	}
	s = strings.Join(strings.Fields(clean(s)), " ")
	if utf8.RuneCountInString(s) <= limit {
		return s
	}
	return s[:byteOf(s, limit-1)] + "…"
}

// titleOf is the beginning of a request. It ends with a whole word: a scanner does
// not know half a secret.
func titleOf(request string) string {
	s := short(request, maxTitle)
	if strings.HasSuffix(s, "…") {
		s = strings.TrimSpace(s[:strings.LastIndexByte(s, ' ')+1]) + "…"
	}
	return s
}

// said is the content of a turn of a person or an agent.
func said(s string) string { return cut(clean(s), maxText) }

// called is the content of a turn of a tool: what it was asked on the first line,
// then what it answered.
func called(name, args, result string) string {
	head := short(name, maxName)
	if args != "" {
		head += "(" + args + ")"
	}
	if result = cut(clean(result), maxResult); result != "" {
		return strings.TrimSpace(head + "\n" + result)
	}
	return head
}
