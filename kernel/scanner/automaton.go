package scanner

// automaton is the Aho-Corasick automaton over all keywords, as a table: one
// step and one look-up a byte, letters of ASCII in either case. (A. V. Aho,
// M. J. Corasick, "Efficient string matching", CACM 18(6), 1975.)
type automaton struct {
	class [256]uint8 // of a byte; 0 is every byte that no keyword has
	width int        // number of classes
	next  []uint16   // state*width + class
	out   [][]output // by state: the keywords that end here
}

// ends marks, in the table of a finished automaton, a state where a keyword
// ends: of most states none does, and out need not be asked.
const ends = 1 << 15

// output is a keyword that ends at a state, with the rules that want it.
type output struct {
	length int
	rules  []uint16
}

// newAutomaton builds the automaton of the keywords, which are in lower case.
func newAutomaton(keywords map[string][]uint16) *automaton {
	a := &automaton{width: 1}
	for k := range keywords {
		for i := range len(k) {
			a.addClass(k[i])
		}
	}
	a.grow()
	for k, rules := range keywords {
		s := 0
		for i := range len(k) {
			e := &a.next[s*a.width+int(a.class[k[i]])]
			if *e == 0 {
				*e = uint16(len(a.out))
				s = int(*e)
				a.grow()
				continue
			}
			s = int(*e)
		}
		a.out[s] = append(a.out[s], output{len(k), rules})
	}
	a.link()
	if len(a.out) >= ends {
		panic("too many keywords")
	}
	for i, s := range a.next {
		if len(a.out[s]) > 0 {
			a.next[i] |= ends
		}
	}
	return a
}

func (a *automaton) addClass(c byte) {
	if a.class[c] != 0 {
		return
	}
	a.class[c] = uint8(a.width)
	if c >= 'a' && c <= 'z' {
		a.class[c-'a'+'A'] = a.class[c]
	}
	a.width++
}

func (a *automaton) grow() {
	a.next = append(a.next, make([]uint16, a.width)...)
	a.out = append(a.out, nil)
}

// link turns the trie into an automaton, in order of depth: a missing edge goes
// where the longest proper suffix goes.
func (a *automaton) link() {
	fail := make([]uint16, len(a.out))
	var queue []uint16
	for _, s := range a.next[:a.width] {
		if s != 0 {
			queue = append(queue, s)
		}
	}
	for len(queue) > 0 {
		s := queue[0]
		queue = queue[1:]
		f := fail[s]
		a.out[s] = append(a.out[s], a.out[f]...)
		for c := range a.width {
			e := &a.next[int(s)*a.width+c]
			onFail := a.next[int(f)*a.width+c]
			if *e == 0 {
				*e = onFail
				continue
			}
			fail[*e] = onFail
			queue = append(queue, *e)
		}
	}
}

// walk calls hit for every keyword in the text, by the end of the keyword.
func (a *automaton) walk(text string, hit func(start, end int, rules []uint16)) {
	s := 0
	for i := range len(text) {
		s = int(a.next[s*a.width+int(a.class[text[i]])])
		if s < ends {
			continue
		}
		s &^= ends
		for _, o := range a.out[s] {
			hit(i+1-o.length, i+1, o.rules)
		}
	}
}
