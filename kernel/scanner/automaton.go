package scanner

import ahocorasick "github.com/BobuSumisu/aho-corasick"

// automaton finds the keywords of all rules in one pass (Aho and Corasick).
type automaton struct {
	trie  *ahocorasick.Trie
	rules [][]uint16 // by keyword: the rules that have it
}

// newAutomaton builds the automaton of keywords in lower case.
func newAutomaton(keywords map[string][]uint16) *automaton {
	a := &automaton{}
	b := ahocorasick.NewTrieBuilder()
	for k, rules := range keywords {
		b.AddString(k)
		a.rules = append(a.rules, rules)
	}
	a.trie = b.Build()
	return a
}

// walk calls hit for every keyword in a text in lower case, by the end of the
// keyword.
func (a *automaton) walk(lower string, hit func(start, end int, rules []uint16)) {
	a.trie.Walk([]byte(lower), func(end, n, keyword int64) bool {
		hit(int(end-n)+1, int(end)+1, a.rules[keyword])
		return true
	})
}
