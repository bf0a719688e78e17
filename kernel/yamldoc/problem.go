package yamldoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Problem is one fault of a document. Its text never quotes a value, which may
// be a secret; it quotes keys of short words.
type Problem struct {
	Line   int    `json:"line,omitempty"`   // 1-based; 0: the document as a whole
	Column int    `json:"column,omitempty"` // 1-based, in characters; 0: unknown
	Path   string `json:"key,omitempty"`    // of the value: store.limits[2].name; "" for the document
	Reason string `json:"reason"`           // lower case
}

// shown is a path as a problem has it. What does not look like a key may be a value in
// the wrong place, and is counted, not shown.
func shown(path string) string {
	keys := strings.Split(path, ".")
	for i, key := range keys {
		long := func(word string) bool {
			n := utf8.RuneCountInString(word)
			return n > 15 || n > 8 && strings.ContainsFunc(word, unicode.IsDigit)
		}
		words := strings.FieldsFunc(key, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if slices.ContainsFunc(words, long) {
			keys[i] = fmt.Sprintf("(%d characters, not shown)", utf8.RuneCountInString(key))
		}
	}
	return strings.Join(keys, ".")
}

// Error returns "line:column: path: reason".
func (p Problem) Error() string {
	var b strings.Builder
	if p.Line > 0 {
		fmt.Fprintf(&b, "%d:", p.Line)
		if p.Column > 0 {
			fmt.Fprintf(&b, "%d:", p.Column)
		}
		b.WriteByte(' ')
	}
	if p.Path != "" {
		b.WriteString(p.Path + ": ")
	}
	b.WriteString(p.Reason)
	return b.String()
}

// Sorted orders problems by their place in the document and keeps the first of
// several about one value: an alias where a number belongs is one mistake.
func Sorted(ps []Problem) []Problem {
	byPlace := func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	}
	slices.SortStableFunc(ps, byPlace)
	return slices.CompactFunc(ps, func(a, b Problem) bool { return byPlace(a, b) == 0 && a.Path == b.Path })
}

// nearest returns the candidate that is at most two edits (a third of its
// length) away from key, or "".
func nearest(key string, candidates []string) string {
	if len(key) > 64 {
		return ""
	}
	best, bestDistance := "", min(len(key)/3+1, 3)
	for _, c := range candidates {
		if d := distance(strings.ToLower(key), c); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is Levenshtein's: insertions, deletions and substitutions cost 1 each.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substituted := diagonal
			if a[i] != b[j] {
				substituted++
			}
			diagonal = row[j+1]
			row[j+1] = min(substituted, diagonal+1, row[j]+1)
		}
	}
	return row[len(b)]
}
