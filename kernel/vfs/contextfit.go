package vfs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/knowledge"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// gather returns what may be shown, the most relevant first: what the search found, also
// what is archived; rules, and what is newest.
func (b *block) gather(found []recall.Hit) (list []chunk) {
	seen, best := map[string]bool{}, map[recall.Source]float64{}
	for _, h := range found {
		best[h.Source] = max(best[h.Source], h.Score, 1e-9)
		h.Score /= best[h.Source]
		text, e := h.Snippet, h.Entry
		switch {
		case h.Score < 0.25, h.Role == process.RoleTool, h.Role == process.RoleSystem: // it shares too little with the task; it is noise
		case e != nil:
			seen[h.ID] = true
			if utf8.RuneCountInString(e.Content) <= maxLine {
				text = e.Content
			}
			list = append(list, b.chunk(string(h.Scope.Scope), e, text, h.Score))
		default:
			list = append(list, b.said(h))
		}
	}
	for _, s := range b.sections {
		for i, e := range slices.Backward(s.entries) {
			if !seen[e.ID] && (ruling(e) || i >= len(s.entries)-recentEntries) {
				list = append(list, b.chunk(string(s.scope), e, e.Content, 0))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b chunk) int { return cmp.Compare(b.Relevance, a.Relevance) })
	return list
}

// said is a chunk that is no entry.
func (b *block) said(h recall.Hit) chunk {
	e := &memory.Entry{ID: h.ID, Updated: h.Timestamp, Source: memory.Source{Trust: memory.TrustExtracted}}
	if h.Source == recall.SourceKnowledge {
		uri, _, title := knowledge.Place(&h)
		e.ID, e.Key, e.Updated, e.Source.Trust = "", title, time.Time{}, memory.TrustImported
		c := b.chunk(string(h.Source), e, h.Title+": "+h.Snippet, h.Score)
		c.URI = uri
		return c
	}
	c := b.chunk(string(h.Source), e, string(h.Role)+": "+h.Snippet, h.Score)
	c.Turn = h.Turn + 1
	return c
}

func (b *block) chunk(source string, e *memory.Entry, text string, found float64) chunk {
	worth := b.worth(e)
	if ruling(e) { // before what is merely new
		worth = (1 + worth) / 2
	}
	return chunk{Source: source, Key: e.Key, UUID: e.ID, entry: e, text: text, Relevance: foundWeight*found + (1-foundWeight)*worth}
}

// fit chooses what is shown of a list, in its order: of each source what fits into an
// even share of the room, then of all the rest what fits. k bounds the chunks unless it
// is 0.
func (b *block) fit(list []chunk, room, k int) (shown []chunk) {
	used, count, said := map[string]int{}, map[string]int{}, map[string]bool{}
	for _, c := range list {
		used[c.Source] = 0
	}
	share, each := room/max(len(used), 1), len(list)
	if k > 0 {
		each = max(k/max(len(used), 1), 1)
	}
	for _, even := range []bool{true, false} {
		if even && b.Share == memory.ShareNone {
			continue
		}
		misses := map[string]int{}
		for i := range list {
			c, most := &list[i], room
			if even {
				most = min(room, share-used[c.Source])
			}
			if c.line != "" || most < minTokens || even && count[c.Source] == each || k > 0 && len(shown) == k || misses[c.Source] == maxMisses {
				continue
			}
			words := sameWords(c.text)
			if said[words] || !b.compose(c, most, even && count[c.Source] == 0) {
				misses[c.Source]++
				continue
			}
			said[words] = true
			room, used[c.Source], count[c.Source] = room-c.Tokens, used[c.Source]+c.Tokens, count[c.Source]+1
			shown = append(shown, *c)
		}
	}
	slices.SortStableFunc(shown, func(a, b chunk) int { return cmp.Compare(b.Relevance, a.Relevance) })
	return shown
}

// compose makes the line of a chunk, of at most so many tokens; false, where it has more
// and may not be cut.
func (b *block) compose(c *chunk, most int, cut bool) bool {
	c.Text = b.safe(c.text, maxLine)
	line := b.taskLine(c)
	if n := memory.Tokens(line); n > most && cut {
		room := max(memory.Tokens(c.Text)-(n-most)-2, 0)
		if c.Text = memory.Cut(c.Text, 4*room); memory.Tokens(c.Text) > room {
			c.Text = memory.Cut(c.Text, room) // a token each
		}
		c.Text += "..."
		line = b.taskLine(c)
	}
	if c.Tokens = memory.Tokens(line); c.Tokens > most {
		return false
	}
	c.line, c.Relevance = line, math.Round(c.Relevance*1e4)/1e4
	return true
}

func (b *block) taskLine(c *chunk) string {
	from := stamp(c.entry.Source.Trust, c.entry.Said(), b.now)
	if b.Line != "" {
		return b.fill(c.Source, c.entry, c.Text, from)
	}
	return bulleted("["+c.Source+"] "+c.Text, from)
}

// sameWords is a text by which others that say the same in the same words are known.
func sameWords(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return cmp.Or(strings.Join(words, " "), text)
}
