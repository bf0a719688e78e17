package vfs

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// gather returns what may be shown, the most relevant first: what the search found, also
// what is archived; rules, and what is newest.
func (b *block) gather(found []recall.Hit) (list []chunk) {
	seen := map[string]bool{}
	for _, h := range found {
		h.Score /= max(found[0].Score, 1e-9) // of the best
		text := h.Snippet
		switch {
		case h.Score < 0.25: // it shares too little with the task
		case h.Entry != nil:
			seen[h.ID] = true
			if utf8.RuneCountInString(h.Entry.Content) <= maxLine {
				text = h.Entry.Content
			}
			list = append(list, b.chunk(string(h.Scope.Scope), h.Entry, text, h.Score))
		case h.Role == process.RoleUser || h.Role == process.RoleAssistant:
			turn := &memory.Entry{ID: h.ID, Updated: h.Timestamp, Source: memory.Source{Trust: memory.TrustExtracted}}
			c := b.chunk(string(recall.SourceConversation), turn, string(h.Role)+": "+text, h.Score)
			c.Turn = h.Turn + 1
			list = append(list, c)
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
