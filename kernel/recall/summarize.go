package recall

import (
	"cmp"
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxSummarySentences bounds a summary, whatever its budget.
const maxSummarySentences = 8

// Summarize digests hits: of each, the best first, the sentence of
// its snippet that has the most of the query's words, unless it was said before. A
// line has one sentence, with the entry's key or the conversation's turn. The summary
// is at most budget runes long, and "" without hits.
func Summarize(hits []Hit, budget int) string {
	var lines []string
	seen := map[string]bool{}
	for i := range hits {
		h := &hits[i]
		text := strings.Join(strings.Fields(sentence(*h)), " ")
		line := "- " + text + " (" + h.label() + ")"
		n := utf8.RuneCountInString(line) + 1
		said := strings.ToLower(strings.Trim(text, "….!? "))
		if said == "" || seen[said] || n > budget {
			continue
		}
		seen[said] = true
		budget -= n
		lines = append(lines, line)
		if len(lines) == maxSummarySentences {
			break
		}
	}
	return strings.Join(lines, "\n")
}

// label says in a few words where a hit is from.
func (h *Hit) label() string {
	if h.Source != SourceConversation {
		return h.Key
	}
	name := cmp.Or(strings.Join(strings.Fields(h.Title), " "), h.ID)
	if utf8.RuneCountInString(name) > maxLabelRunes {
		name = name[:forward(name, 0, maxLabelRunes-1)] + ellipsis
	}
	at := ""
	if !h.Timestamp.IsZero() {
		at = h.Timestamp.Format(", 2006-01-02")
	}
	return fmt.Sprintf("%s%s, turn %d", name, at, h.Turn+1) // people count from 1
}

const maxLabelRunes = 40

// sentence returns the sentence of the snippet with the most marks, the first of
// several.
func sentence(h Hit) string {
	best, most := "", -1
	start := 0
	for start < len(h.Snippet) {
		end := sentenceEnd(h.Snippet, start)
		n := 0
		for _, m := range h.Marks {
			if m.Start >= start && m.Start < end {
				n++
			}
		}
		if n > most {
			best, most = h.Snippet[start:end], n
		}
		start = end
	}
	return best
}

// sentenceEnd returns where the sentence that begins at start ends: after a stop
// that a blank follows, a CJK stop, or a line's end.
func sentenceEnd(s string, start int) int {
	for i, r := range s[start:] {
		end := start + i + utf8.RuneLen(r)
		switch r {
		case '。', '！', '？', '\n':
			return end
		case '.', '!', '?':
			if end == len(s) || s[end] == ' ' || s[end] == '\n' {
				return end
			}
		}
	}
	return len(s)
}
