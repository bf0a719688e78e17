package vfs

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// ContextRunes bounds the block of the context device, in characters: below what
// Claude Code shows of a hook's output, 10,000.
const ContextRunes = 8000

// contextDevice shows what an agent should know before it starts: who the user is,
// what is known of all projects and of this one. It takes no requests.
type contextDevice struct {
	readOnly
	list         func(context.Context, memory.Caller, memory.Scope) ([]*memory.Entry, error)
	score        func(context.Context, memory.Caller) memory.Score
	projectFirst func(context.Context, memory.Caller) bool
}

// NewContext returns the context device. projectFirst reports whether the caller's
// project comes before what is known of all projects.
func NewContext(s *store.Store, projectFirst func(context.Context, memory.Caller) bool) Device {
	list := func(ctx context.Context, caller memory.Caller, scope memory.Scope) ([]*memory.Entry, error) {
		id, err := s.Resolve(ctx, caller, scope)
		if err != nil {
			return nil, err
		}
		v, err := s.Reader(id).Load(ctx)
		return v.Entries, err
	}
	score := func(ctx context.Context, caller memory.Caller) memory.Score {
		return s.Policies(ctx, caller)[memory.ScopeProject].Score
	}
	return &contextDevice{readOnly{"context"}, list, score, projectFirst}
}

// Read gives the block as text, and nothing where nothing is remembered.
func (d *contextDevice) Read(ctx context.Context, caller memory.Caller) []byte {
	sections := []section{
		{title: "The user", scope: memory.ScopeUser},
		{title: "All projects", scope: memory.ScopeGlobal},
		{title: "This project", scope: memory.ScopeProject},
	}
	if d.projectFirst(ctx, caller) {
		sections[1], sections[2] = sections[2], sections[1]
	}
	for i := range sections {
		s := &sections[i]
		var err error
		if s.entries, err = d.list(ctx, caller, s.scope); err != nil {
			s.unread = memory.ReasonOf(err)
		}
	}
	score, now := d.score(ctx, caller), time.Now()
	return []byte(render(sections, ContextRunes, func(e *memory.Entry) float64 { return score.Relevance(e, now) }))
}

// section is the memory of one scope, as it is shown.
type section struct {
	title   string
	scope   memory.Scope
	entries []*memory.Entry
	unread  string // why it can't be read
}

// candidate is an entry that is shown if there is room.
type candidate struct {
	section int
	entry   *memory.Entry
	worth   float64
	line    string
	shown   bool
}

// render lays the sections out. Each gets an even share of the room first, so that none
// pushes the others out, and what is left goes to any. Pinned entries come first, then
// those of the most worth.
func render(sections []section, budget int, worth func(*memory.Entry) float64) string {
	var all []candidate
	tail := ""
	for i, s := range sections {
		for _, e := range s.entries {
			line := bullet(e.Content, string(e.Source.Trust), e.Updated)
			all = append(all, candidate{section: i, entry: e, worth: worth(e), line: line})
		}
		if s.unread != "" {
			tail += fmt.Sprintf("\nNot shown, because it can't be read: %s: %s\n", s.title, quoted(s.unread))
		}
	}
	slices.SortStableFunc(all, before)
	left := budget - utf8.RuneCountInString(frameOpen+tail+frameClose)
	if left < 0 {
		return ""
	}
	used, skipped := make([]int, len(sections)), len(all)
	for _, share := range []int{left / len(sections), left} {
		for i := range all {
			c := &all[i]
			need := utf8.RuneCountInString(c.line)
			if used[c.section] == 0 {
				need += utf8.RuneCountInString(heading(sections[c.section].title))
			}
			if !c.shown && used[c.section]+need <= share && need <= left-len(more(len(all))) {
				c.shown = true
				used[c.section] += need
				left -= need
				skipped--
			}
		}
	}
	lines := make([]string, len(sections))
	for _, c := range all {
		if c.shown {
			lines[c.section] += c.line
		}
	}
	var b strings.Builder
	for i, text := range lines {
		if text != "" {
			b.WriteString(heading(sections[i].title) + text)
		}
	}
	if b.Len() > 0 && skipped > 0 {
		b.WriteString(more(skipped))
	}
	b.WriteString(tail)
	if b.Len() == 0 {
		return ""
	}
	return frameOpen + b.String() + frameClose
}

func heading(title string) string { return "\n" + title + ":\n" }

func more(n int) string {
	return fmt.Sprintf("\n%d more are not shown; search them with: rnixfs recall WORDS\n", n)
}

// before is the order of what is worth showing.
func before(a, b candidate) int {
	if a.entry.Pinned != b.entry.Pinned {
		if a.entry.Pinned {
			return -1
		}
		return 1
	}
	return cmp.Or(cmp.Compare(b.worth, a.worth), cmp.Compare(a.entry.Key, b.entry.Key))
}
