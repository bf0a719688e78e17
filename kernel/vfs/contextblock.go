package vfs

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// block is the text of the context device while it is made.
type block struct {
	sections []section
	told     string
	budget   int // in tokens
	score    memory.Score
	now      time.Time
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
	lines []line
	used  int // tokens that are spent on it
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
	title, said := b.sections[section].title, e.Said()
	switch category := strings.ToLower(e.Category); {
	case category == memory.CategorySummary:
		l.kind, l.heading = session, "Last sessions"
		l.worth = float64(said.UnixMilli())
		l.text = bullet(recount(e.Content), e.Source.Trust, said, b.now)
		return l
	case ruling(e):
		l.kind, l.heading = rule, "Rules and preferences"
	case category == "":
		l.heading = title
	default:
		l.heading = title + ", " + quoted(category, maxName)
	}
	l.text = bullet(e.Content, e.Source.Trust, said, b.now)
	return l
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
	return cmp.Or(cmp.Compare(b.worth, a.worth), b.entry.Said().Compare(a.entry.Said()), cmp.Compare(a.entry.Key, b.entry.Key), cmp.Compare(a.entry.ID, b.entry.ID))
}

// render lays the block out, within its budget. What fits is chosen in turns: it is the
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
	head, left := frameOpen+b.told, b.budget
	if len(hidden) > 0 {
		head += "\n" + notes
		left -= indexTokens
	}
	left -= memory.Tokens(head + tail + frameClose)
	var shown []line
	first := map[string]int{} // the headings, with the place at which each came in
	for q := next(all); q != nil && left > 0; q = next(all) {
		l := q.lines[0]
		q.lines = q.lines[1:]
		cost := memory.Tokens(l.text)
		if _, ok := first[l.heading]; !ok {
			cost += memory.Tokens(heading(l.heading))
		}
		if cost > left {
			continue
		}
		if _, ok := first[l.heading]; !ok {
			first[l.heading] = len(first)
		}
		shown = append(shown, l)
		q.used += cost
		left -= cost
		hidden[cmp.Or(l.entry.Category, "note")]--
	}
	if left < 0 {
		return ""
	}
	slices.SortStableFunc(shown, func(x, y line) int {
		return cmp.Or(cmp.Compare(x.kind, y.kind), cmp.Compare(x.section, y.section), cmp.Compare(first[x.heading], first[y.heading]))
	})
	body := ""
	for i, l := range shown {
		if i == 0 || l.heading != shown[i-1].heading {
			body += heading(l.heading)
		}
		body += l.text
	}
	return head + body + index(hidden) + tail + frameClose
}

// next is the queue whose turn it is, nil when all are empty.
func next(all [][kinds]queue) *queue {
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
		if own != nil && (best == nil || used < least) {
			best, least = own, used
		}
	}
	return best
}

func heading(title string) string { return "\n" + title + ":\n" }

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
