package recall

import (
	"strings"
	"unicode/utf8"
)

// maxSummarySentences bounds a summary, whatever its budget.
const maxSummarySentences = 8

// Summarize makes a digest of the hits, best first: of each the sentence of its
// snippet that has the most of the query's words, with the entry's key, a line
// each. It is at most budget runes long, and "" without hits. It extracts; every
// word of it stands in an entry.
func Summarize(hits []Hit, budget int) string {
	var lines []string
	seen := map[string]bool{}
	for _, h := range hits {
		text := strings.Join(strings.Fields(sentence(h)), " ")
		line := "- " + text + " (" + h.Key + ")"
		n := utf8.RuneCountInString(line) + 1
		if text == "" || seen[text] || n > budget {
			continue
		}
		seen[text] = true
		budget -= n
		if lines = append(lines, line); len(lines) == maxSummarySentences {
			break
		}
	}
	return strings.Join(lines, "\n")
}

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
