package scanner

// automaton finds words in one pass, in letters of either case (Aho and Corasick). It
// is a table with a row for each state: the next state, by class of bytes.
type automaton struct {
	class [256]uint8
	width int // number of classes
	next  []uint32
	ends  []uint16   // by state: an index into lists
	lists [][]uint16 // of the words that end in a state
}

// newAutomaton builds the automaton of words in lower case, which are told apart by
// their index.
func newAutomaton(words []string) *automaton {
	a := &automaton{width: 1}
	longest := 0
	for _, w := range words {
		longest = max(longest, len(w))
		for i := range len(w) {
			if a.class[w[i]] == 0 {
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
	a.next, found = make([]uint32, a.width), [][]uint16{nil}
	at := make([]uint32, len(words))
	for depth := range longest {
		for i, w := range words {
			if depth >= len(w) {
				continue
			}
			next := int(at[i])*a.width + int(a.class[w[depth]])
			if a.next[next] == 0 {
				a.next[next] = uint32(len(found))
				a.next = append(a.next, make([]uint32, a.width)...)
				found = append(found, nil)
			}
			at[i] = a.next[next]
			if depth == len(w)-1 {
				found[at[i]] = append(found[at[i]], uint16(i))
			}
		}
	}
	return found
}

// link fills in where to go on where no word goes on: to the longest end of what has
// been read with which a word begins.
func (a *automaton) link(found [][]uint16) {
	back := make([]uint32, len(found))
	for s := range found {
		row, end := a.next[s*a.width:][:a.width], a.next[int(back[s])*a.width:][:a.width]
		for c, t := range row {
			switch {
			case t == 0:
				row[c] = end[c]
			case s != 0:
				back[t] = end[c]
				found[t] = append(found[t], found[end[c]]...)
			}
		}
	}
	a.ends, a.lists = make([]uint16, len(found)), [][]uint16{nil}
	for s, list := range found {
		if len(list) > 0 {
			a.ends[s] = uint16(len(a.lists))
			a.lists = append(a.lists, list)
		}
	}
}

// walk calls hit for every word in a text, by where it ends.
func (a *automaton) walk(text string, hit func(word uint16, end int)) {
	s := uint32(0)
	for i := range len(text) {
		s = a.next[int(s)*a.width+int(a.class[text[i]])]
		if k := a.ends[s]; k != 0 {
			for _, w := range a.lists[k] {
				hit(w, i+1)
			}
		}
	}
}
