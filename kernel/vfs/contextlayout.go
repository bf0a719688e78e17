package vfs

import (
	"cmp"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// room is what is left of a block while it is filled, by the bounds of the table.
type room struct {
	tokens, chars int
	sections      []sectionRoom
}

type sectionRoom struct{ chars, lines int }

// room is that beside a text.
func (b *block) room(beside string) room {
	bound := func(n int) int {
		if n == 0 {
			return math.MaxInt
		}
		return n
	}
	r := room{b.budget - memory.Tokens(beside), bound(b.Chars) - utf8.RuneCountInString(beside), make([]sectionRoom, len(b.sections))}
	for i := range r.sections {
		r.sections[i] = sectionRoom{bound(b.ScopeChars), bound(b.ScopeLines)}
	}
	return r
}

// take takes the room of a line of a section, with a heading or none, unless it does not
// fit.
func (r *room) take(section int, title, text string) (tokens int, ok bool) {
	s, tokens, chars := &r.sections[section], memory.Tokens(title)+memory.Tokens(text), utf8.RuneCountInString(title+text)
	if tokens > r.tokens || chars > r.chars || chars > s.chars || s.lines == 0 {
		return 0, false
	}
	r.tokens, r.chars, s.chars, s.lines = r.tokens-tokens, r.chars-chars, s.chars-chars, s.lines-1
	return tokens, true
}

// frame is what stands before the lines, if there are some, and behind them: the table's,
// or the one that is built in, with how to use memory or without.
func (b *block) frame(told string, some bool) (open, end string) {
	if b.Header+b.Footer != "" {
		return ended(strings.ReplaceAll(b.Header, "{usage}", b.told)), ended(b.Footer)
	}
	open = frameOpen + told
	if some && told != "" {
		open += "\n"
	}
	if some {
		open += notes
	}
	return open, frameClose
}

func ended(text string) string {
	if text == "" || strings.HasSuffix(text, "\n") {
		return text
	}
	return text + "\n"
}

// scopeNames are the scopes as {scope} has them, where that is not their name.
var scopeNames = map[string]string{string(memory.ScopeProject): "project", string(memory.ScopeGlobal): "global"}

// fill makes a line by the template of the table.
func (b *block) fill(source string, e *memory.Entry, text, from string) string {
	return strings.NewReplacer(
		"{scope}", cmp.Or(scopeNames[source], source), "{key}", b.safe(e.Key, 2*maxName),
		"{category}", b.safe(cmp.Or(e.Category, "note"), maxName), "{content}", text, "{date}", from,
	).Replace(b.Line) + "\n"
}

// safe is text of memory, quoted, in which no line of the table's own frame is left.
func (b *block) safe(text string, most int) string {
	text = quoted(text, most)
	if b.Header+b.Footer == "" {
		return text
	}
	if b.marks == nil {
		marks := []string{`\z.`} // matches nothing
		for line := range strings.Lines(b.Header + "\n" + b.Footer) {
			if words := strings.Fields(line); len(strings.Join(words, "")) > 2 {
				for i := range words {
					words[i] = regexp.QuoteMeta(words[i])
				}
				marks = append(marks, strings.Join(words, `\s+`))
			}
		}
		b.marks = regexp.MustCompile(`(?i)` + strings.Join(marks, "|"))
	}
	return b.marks.ReplaceAllString(text, "‹...›")
}
