package vfs

import (
	"cmp"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// block is the text of the context device while it is made.
type block struct {
	ContextTable
	sections []section
	told     string
	budget   int // in tokens
	score    memory.Score
	now      time.Time
	marks    *regexp.Regexp // the lines of Header and Footer
}

// The kinds of lines, in the order in which they are shown.
const (
	rule    = iota // what is pinned, and what holds until it is taken back
	session        // summaries of the last conversations
	known          // all else
	kinds
)

// standing are the categories of rules.
var standing = map[string]bool{
	"instruction": true, "preference": true, "convention": true, "correction": true, "restriction": true,
}

// maxSessions is how many conversations are shown.
const maxSessions = 5

// line is an entry that is shown if there is room.
type line struct {
	entry   *memory.Entry
	kind    int
	section int
	heading string
	text    string
	worth   float64
}

// queue is the lines of a kind of one section, the first to be shown first.
type queue struct {
	lines  []line
	used   int // tokens that are spent on it
	misses int // lines that did not fit, one after another
}

// queues sorts what is remembered into a queue for each kind of each section.
func (b *block) queues() [][kinds]queue {
	all := make([][kinds]queue, len(b.sections))
	for i, s := range b.sections {
		for _, e := range s.entries {
			l := b.line(i, e)
			all[i][l.kind].lines = append(all[i][l.kind].lines, l)
		}
		for k := range all[i] {
			slices.SortFunc(all[i][k].lines, before)
		}
		sessions := &all[i][session].lines
		*sessions = (*sessions)[:min(len(*sessions), maxSessions)]
	}
	return all
}

func (b *block) line(section int, e *memory.Entry) line {
	l := line{entry: e, section: section, kind: known, worth: b.worth(e)}
	switch {
	case strings.EqualFold(e.Category, memory.CategorySummary):
		l.kind, l.worth = session, float64(e.Said().UnixMilli())
	case ruling(e):
		l.kind = rule
	}
	return l
}

// words makes the words of a line, which takes longer than to sort it: few are shown.
func (b *block) words(l *line) {
	text, category, s := l.entry.Content, strings.ToLower(l.entry.Category), &b.sections[l.section]
	switch l.heading = s.title; {
	case l.kind == session:
		l.heading, text = "Last sessions", recount(text)
	case l.kind == rule:
		l.heading = "Rules and preferences"
	case category != "":
		l.heading += ", " + quoted(category, maxName)
	}
	text, from := b.safe(text, maxLine), stamp(l.entry.Source.Trust, l.entry.Said(), b.now)
	if l.text = bulleted(text, from); b.Line != "" {
		l.heading, l.text = "", b.fill(string(s.scope), l.entry, text, from)
	}
}

// ruling reports whether an entry holds until it is taken back.
func ruling(e *memory.Entry) bool { return e.Pinned || standing[strings.ToLower(e.Category)] }

// worth is how much an entry is worth, 0 to 1; that of a rule does not age.
func (b *block) worth(e *memory.Entry) float64 {
	if ruling(e) {
		return e.Importance
	}
	said := *e
	said.Updated = e.Said()
	return b.score.Relevance(&said, b.now)
}

// recount is a conversation in a line, from its summary.
func recount(summary string) string {
	s := memory.ParseSummary(summary)
	text := s.Asked
	if text == "" || strings.HasPrefix(text, "Last: ") { // the title is the first request
		text = strings.TrimSpace(memory.Cut(s.Title, maxPart/2) + " " + text)
	}
	text = quoted(text, maxPart)
	for _, part := range []struct{ word, text string }{{"Done", s.Done}, {"Left open", s.Open}} {
		if part.text != "" {
			text += " " + part.word + ": " + quoted(part.text, maxPart)
		}
	}
	return text
}

const (
	maxPart     = 130 // characters of a part of a summary
	maxName     = 40  // characters of a category
	indexTokens = 40  // of the line that tells what is not shown
)

// before is the order of what is worth showing.
func before(a, b line) int {
	if a.entry.Pinned != b.entry.Pinned {
		if a.entry.Pinned {
			return -1
		}
		return 1
	}
	if c := cmp.Compare(b.worth, a.worth); c != 0 {
		return c // and look at no metadata
	}
	return cmp.Or(b.entry.Said().Compare(a.entry.Said()), cmp.Compare(a.entry.Key, b.entry.Key), cmp.Compare(a.entry.ID, b.entry.ID))
}

// render lays the block out, within its bounds. What fits is chosen in turns: it is the
// turn of the section that has the least so far, and in it of the kind that has the
// least, so that each gets an even share, and what one does not need goes to the others.
func (b *block) render() string {
	all, hidden, tail := b.queues(), map[string]int{}, ""
	for _, s := range b.sections {
		for _, e := range s.entries {
			hidden[cmp.Or(e.Category, "note")]++
		}
		if s.unread != "" {
			tail += fmt.Sprintf("\nNot shown, because it can't be read: %s: %s\n", s.title, quoted(s.unread, maxLine))
		}
	}
	open, end := b.frame(b.told, len(hidden) > 0)
	left := b.room(open + tail + end)
	if b.Header+b.Footer == "" && len(hidden) > 0 {
		left.tokens, left.chars = left.tokens-indexTokens, left.chars-4*indexTokens
	}
	var shown []line
	first := map[string]int{} // the headings, with the place at which each came in
	for q := b.next(all); q != nil && left.tokens > 0; q = b.next(all) {
		l := q.lines[0]
		q.lines = q.lines[1:]
		b.words(&l)
		title := ""
		if _, ok := first[l.heading]; !ok {
			title = heading(l.heading)
		}
		cost, ok := left.take(l.section, title, l.text)
		if !ok {
			if q.misses++; q.misses == maxMisses {
				q.lines = nil
			}
			continue
		}
		q.misses = 0
		if title != "" {
			first[l.heading] = len(first)
		}
		shown = append(shown, l)
		q.used += cost
		hidden[cmp.Or(l.entry.Category, "note")]--
	}
	if left.tokens < 0 || left.chars < 0 || b.Header+b.Footer != "" && len(shown) == 0 && tail == "" {
		return ""
	}
	slices.SortStableFunc(shown, func(x, y line) int {
		kinds := cmp.Compare(x.kind, y.kind)
		if b.Line != "" { // there are no headings
			kinds = 0
		}
		return cmp.Or(kinds, cmp.Compare(x.section, y.section), cmp.Compare(x.kind, y.kind), cmp.Compare(first[x.heading], first[y.heading]))
	})
	body := ""
	for i, l := range shown {
		if i == 0 || l.heading != shown[i-1].heading {
			body += heading(l.heading)
		}
		body += l.text
	}
	if b.Header+b.Footer == "" {
		body += index(hidden)
	}
	return open + body + tail + end
}

// next is the queue whose turn it is, nil when all are empty.
func (b *block) next(all [][kinds]queue) *queue {
	var best *queue
	least := 0
	for i := range all {
		used := 0
		var own *queue
		for k := range all[i] {
			q := &all[i][k]
			used += q.used
			if len(q.lines) > 0 && (own == nil || q.used < own.used) {
				own = q
			}
		}
		if own != nil && (best == nil || used < least && b.Share != memory.ShareNone) {
			best, least = own, used
		}
	}
	return best
}

func heading(title string) string {
	if title == "" {
		return ""
	}
	return "\n" + title + ":\n"
}

// index says how much of what is remembered is not shown, by category, in a line of at
// most indexTokens.
func index(hidden map[string]int) string {
	n, text := 0, ""
	for _, name := range slices.Sorted(maps.Keys(hidden)) {
		n += hidden[name]
		if part := fmt.Sprintf(", %s %d", quoted(name, maxName), hidden[name]); hidden[name] > 0 && memory.Tokens(text+part) < indexTokens/2 {
			text += part
		}
	}
	if n == 0 {
		return ""
	}
	return fmt.Sprintf("\n%d more, for a search to find%s\n", n, strings.Replace(text, ", ", ": ", 1))
}
