package scanner

import "slices"

// automaton finds words in one pass, in letters of either case (Aho and Corasick). It
// is a table with a row for each state: an index into lists, then for each class of bytes
// where the row of the next state begins.
type automaton struct {
	class [256]uint8
	width int // of a row
	rows  []uint32
	lists [][]uint16 // the words that end in a state
}

// newAutomaton builds the automaton of words in lower case, which are told apart by
// their index.
func newAutomaton(words []string) *automaton {
	const other = 1
	a := &automaton{width: other + 1}
	for c := range a.class {
		a.class[c] = other
	}
	longest := 0
	for _, w := range words {
		longest = max(longest, len(w))
		for i := range len(w) {
			if a.class[w[i]] == other {
				a.class[w[i]] = uint8(a.width)
				a.width++
			}
		}
	}
	for c := 'A'; c <= 'Z'; c++ {
		a.class[c] = a.class[c+'a'-'A']
	}
	a.link(a.states(words, longest))
	return a
}

// states makes a state for every beginning of a word, the shortest first: texts stay
// among those, and they share the processor's cache. It returns the words by state.
func (a *automaton) states(words []string, longest int) (found [][]uint16) {
	a.rows, found = make([]uint32, a.width, a.width*countStates(words)), [][]uint16{nil}
	at := make([]uint32, len(words))
	for depth := range longest {
		for i, w := range words {
			if depth >= len(w) {
				continue
			}
			next := int(at[i]) + int(a.class[w[depth]])
			if a.rows[next] == 0 {
				a.rows[next] = uint32(len(a.rows))
				a.rows = append(a.rows, make([]uint32, a.width)...)
				found = append(found, nil)
			}
			at[i] = a.rows[next]
			if depth == len(w)-1 {
				state := int(at[i]) / a.width
				found[state] = append(found[state], uint16(i))
			}
		}
	}
	return found
}

// countStates returns how many beginnings words have; the empty one is one.
func countStates(words []string) int {
	n, last := 1, ""
	for _, w := range slices.Sorted(slices.Values(words)) {
		same := 0
		for same < min(len(w), len(last)) && w[same] == last[same] {
			same++
		}
		n += len(w) - same
		last = w
	}
	return n
}

// link fills in where to go on where no word goes on: to the longest end of what has
// been read with which a word begins.
func (a *automaton) link(found [][]uint16) {
	back := make([]uint32, len(found))
	a.lists = [][]uint16{nil}
	for s := range found {
		row, end := a.rows[s*a.width:][:a.width], a.rows[back[s]:][:a.width]
		for c := 1; c < a.width; c++ {
			switch t := int(row[c]) / a.width; {
			case t == 0:
				row[c] = end[c]
			case s != 0:
				back[t] = end[c]
				found[t] = append(found[t], found[int(end[c])/a.width]...)
			}
		}
		if len(found[s]) > 0 {
			row[0] = uint32(len(a.lists))
			a.lists = append(a.lists, found[s])
		}
	}
}

// walk calls hit for every word in a text, by where it ends.
func (a *automaton) walk(text string, hit func(word uint16, end int)) {
	rows, s := a.rows, uint32(0)
	for i := range len(text) {
		s = rows[int(s)+int(a.class[text[i]])]
		if k := rows[s]; k != 0 {
			for _, w := range a.lists[k] {
				hit(w, i+1)
			}
		}
	}
}
