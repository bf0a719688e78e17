package yamldoc

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is one fault of a document. Its text never quotes a value, which may
// be a secret; it may quote keys.
type Problem struct {
	Line   int    // 1-based; 0: the document as a whole
	Column int    // 1-based, in characters; 0: unknown
	Path   string // of the value: store.limits[2].name; "" for the document
	Reason string // lower case
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

// sorted orders problems by their place in the document.
func sorted(ps []Problem) []Problem {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return ps
}

// nearest returns the candidate that is at most two edits (a third of its
// length) away from key, or "".
func nearest(key string, candidates []string) string {
	best, bestDistance := "", len([]rune(key))/3+1
	for _, c := range candidates {
		if d := distance(strings.ToLower(key), c); d < min(bestDistance, 3) {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is the optimal string alignment distance: insertions, deletions,
// substitutions and swaps of neighbours cost 1 each.
func distance(a, b string) int {
	x, y := []rune(a), []rune(b)
	if len(x) > 64 || len(y) > 64 {
		return len(x) + len(y)
	}
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
