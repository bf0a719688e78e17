package writeback

import "slices"

// relation is what a new statement is to an old one.
type relation int

// The relations, the closest last.
const (
	unrelated   relation = iota
	contradicts          // about the same, and not both can hold
	more                 // says what the old one says, and more
	less                 // says nothing that the old one does not
	same
)

const (
	nearly  = 0.88 // shared part of the terms of two that say the same
	half    = 0.5  // of two of which one says more; below, they are two things to know
	flipped = 0.75 // of two of which one negates the other
	minimum = 2    // terms in common
)

// relate compares a new statement with an old one. Numbers, names, identifiers
// and what is negated must agree for them to say the same. With correction the new
// one puts something right: then a word or two may stand for others.
func relate(a, b *statement, correction bool) relation {
	if a.norm == b.norm && agree(a, b) && agree(b, a) && sameNegation(a, b) {
		return same
	}
	common := a.terms.common(b.terms)
	if common == 0 {
		return unrelated
	}
	onlyA, onlyB := len(a.terms)-common, len(b.terms)-common
	jaccard := float64(common) / float64(common+onlyA+onlyB)
	if !sameNegation(a, b) {
		if (onlyA == 0 || onlyB == 0) && jaccard >= flipped || correction && common >= minimum && jaccard >= half {
			return contradicts
		}
		return unrelated
	}
	forward, back := agree(a, b), agree(b, a)
	switch {
	case onlyA == 0 && onlyB == 0 && forward && back, jaccard >= nearly && forward && back:
		return same
	case onlyA == 0 && common >= minimum && jaccard >= half && forward:
		return less
	case onlyB == 0 && common >= minimum && jaccard >= half && back:
		return more
	case substitutes(a, b, common, onlyA, onlyB, correction):
		return contradicts
	}
	return unrelated
}

// agree says whether the facts of a are in b.
func agree(a, b *statement) bool { return lacking(a, b) == 0 }

// lacking is how many facts of a are not in b.
func lacking(a, b *statement) int {
	return len(a.facts) - a.facts.common(b.words)
}

// sameNegation says whether both negate nothing, or something in common.
func sameNegation(a, b *statement) bool {
	if len(a.not) == 0 || len(b.not) == 0 {
		return len(a.not) == len(b.not)
	}
	if len(a.not) == 1 && len(b.not) == 1 { // that they negate is all that is known
		return true
	}
	return a.not.common(b.not) > 1 // both have that they negate
}

// substitutes says whether a puts something in the place of what b says of the
// same subject.
func substitutes(a, b *statement, common, onlyA, onlyB int, correction bool) bool {
	if correction && common >= minimum && onlyA >= 1 && onlyA <= 2 && onlyB >= 1 && onlyB <= 2 {
		// One name or number stands for another, not two: then it is about
		// something else.
		return lacking(a, b) <= 1 && lacking(b, a) <= 1
	}
	if a.subject == "" || a.subject != b.subject || onlyA == 0 || onlyB == 0 {
		return false
	}
	// "The port is 8080", "the port is 8443"; not "the server is slow", "the
	// server is in the cellar".
	return a.value <= 3 && b.value <= 3 && !agree(a, b) && !agree(b, a)
}

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
