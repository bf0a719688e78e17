package scanner

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// need is what every match of an expression holds, in lower case: a word, or all or
// any of other needs. The zero need is nothing. An expression runs in a window only
// if its need is there, which the automaton has found out: that is faster by far than
// to run it.
type need struct {
	word     string
	all, any []need

	id uint16 // of the word in the automaton
}

func (n need) isNothing() bool { return n.word == "" && len(n.all) == 0 && len(n.any) == 0 }

// both returns the need of a and b.
func both(a, b need) need {
	switch {
	case a.isNothing():
		return b
	case b.isNothing():
		return a
	}
	return need{all: []need{a, b}}
}

// anyWord returns the need of one of some words; nothing if one of them is too common
// to tell anything.
func anyWord(words []string) need {
	var n need
	for i, w := range words {
		if len(w) < 2 || len(w) == 2 && isAlnum(w[0]) && isAlnum(w[1]) {
			return need{}
		}
		if !slices.ContainsFunc(words, func(o string) bool { return len(o) < len(w) && strings.Contains(w, o) }) && !slices.Contains(words[:i], w) {
			n.any = append(n.any, need{word: w})
		}
	}
	if len(n.any) == 1 {
		return n.any[0]
	}
	return n
}

// maxExact bounds how many texts are told apart.
const maxExact = 48

// needOf returns the need of an expression.
func needOf(re *syntax.Regexp) need {
	exact, n := holds(re)
	return both(n, anyWord(exact))
}

// holds returns all that an expression matches, if that is a few texts, and else nil;
// and what else every match holds.
func holds(re *syntax.Regexp) (exact []string, n need) {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, n
	case syntax.OpLiteral:
		words := strings.FieldsFunc(string(re.Rune), hasCases)
		if len(words) == 1 && len(words[0]) == len(string(re.Rune)) {
			return []string{strings.ToLower(words[0])}, n
		}
		for _, w := range words {
			n = both(n, anyWord([]string{strings.ToLower(w)}))
		}
		if i := strings.IndexFunc(string(re.Rune), hasCases); i >= 0 {
			c, _ := utf8.DecodeRuneInString(string(re.Rune)[i:])
			n = both(n, anyWord(cases(c)))
		}
	case syntax.OpCharClass:
		exact = small(re.Rune)
		if slices.ContainsFunc(exact, func(c string) bool { return strings.ContainsFunc(c, hasCases) }) {
			return nil, n
		}
	case syntax.OpCapture:
		return holds(re.Sub[0])
	case syntax.OpPlus:
		n = needOf(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			n = needOf(re.Sub[0])
		}
	case syntax.OpQuest:
		if exact, _ = holds(re.Sub[0]); exact != nil {
			exact = append(slices.Clip(exact), "")
		}
	case syntax.OpConcat:
		return holdsAll(re.Sub)
	case syntax.OpAlternate:
		return holdsAny(re.Sub)
	}
	return exact, n
}

// hasCases reports whether a character has cases that the automaton doesn't know.
func hasCases(c rune) bool { return c >= utf8.RuneSelf && unicode.SimpleFold(c) != c }

// cases returns a character in all its cases.
func cases(c rune) []string {
	all := []string{string(c)}
	for f := unicode.SimpleFold(c); f != c; f = unicode.SimpleFold(f) {
		all = append(all, string(f))
	}
	return all
}

func holdsAll(subs []*syntax.Regexp) (exact []string, n need) {
	whole := true
	cur := []string{""}
	for i := 0; i < len(subs); i++ {
		e, more := holds(subs[i])
		if i+1 < len(subs) && subs[i].Op == syntax.OpLiteral && subs[i+1].Op == syntax.OpAlternate {
			i++
			e, more = holdsAny(withPrefix(subs[i-1], subs[i].Sub))
		}
		n = both(n, more)
		if e != nil && len(cur)*len(e) <= maxExact {
			cur = cross(cur, e)
			continue
		}
		n = both(n, anyWord(cur))
		whole = false
		if cur = e; e == nil {
			cur = []string{""}
		}
	}
	if whole {
		return cur, n
	}
	return nil, both(n, anyWord(cur))
}

// withPrefix undoes what the parser did to the beginning that alternatives share: with
// it, their words are longer.
func withPrefix(prefix *syntax.Regexp, subs []*syntax.Regexp) (all []*syntax.Regexp) {
	for _, s := range subs {
		all = append(all, &syntax.Regexp{Op: syntax.OpConcat, Sub: []*syntax.Regexp{prefix, s}})
	}
	return all
}

func holdsAny(subs []*syntax.Regexp) (exact []string, n need) {
	whole := true
	for _, s := range subs {
		e, _ := holds(s)
		whole = whole && e != nil
		exact = append(exact, e...)
	}
	if whole && len(exact) <= maxExact {
		return exact, n
	}
	for _, s := range subs {
		one := needOf(s)
		if one.isNothing() {
			return nil, need{}
		}
		n.any = append(n.any, one)
	}
	return nil, n
}

// number gives the words of a need their index in a list, which it extends.
func (n need) number(index map[string]uint16, words *[]string) need {
	list := func(from []need) (to []need) {
		for _, m := range from {
			to = append(to, m.number(index, words))
		}
		return to
	}
	n.all, n.any = list(n.all), list(n.any)
	if n.word != "" {
		n.id = indexOf(n.word, index, words)
	}
	return n
}

// indexOf returns the index of a word in a list, to which it is added if it is new.
func indexOf(word string, index map[string]uint16, words *[]string) uint16 {
	id, ok := index[word]
	if !ok {
		id = uint16(len(*words))
		index[word] = id
		*words = append(*words, word)
	}
	return id
}

// in reports whether what is needed is in a part of the view.
func (n *need) in(w *windows, s span) bool {
	for i := range n.all {
		if !n.all[i].in(w, s) {
			return false
		}
	}
	for i := range n.any {
		if n.any[i].in(w, s) {
			return true
		}
	}
	return len(n.any) == 0 && (n.word == "" || w.has(n.id, len(n.word), s))
}

// has reports whether a word of a length is in a part of the view.
func (w *windows) has(id uint16, length int, s span) bool {
	ends := w.ends[id]
	if len(ends) == 0 {
		return false
	}
	i, _ := slices.BinarySearch(ends, int32(s.start+length))
	return i < len(ends) && int(ends[i]) <= s.end
}
