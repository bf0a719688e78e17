package writeback

import "slices"

// set holds strings, each once and in order: it takes a fraction of what a map does,
// and two are compared faster.
type set []string

// newSet makes a set of a list, whose order it changes.
func newSet(list []string) set {
	slices.Sort(list)
	return slices.Clone(slices.Compact(list))
}

// common is how many strings are in both.
func (a set) common(b set) (n int) {
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			n, i, j = n+1, i+1, j+1
		case a[i] < b[j]:
			i++
		default:
			j++
		}
	}
	return n
}
