package scanner

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// reach is how far from a keyword a rule has to look to see every match that
// holds the keyword.
type reach struct {
	left, right int
	run         bool // and on to the end of the run of characters that are no blanks
	whole       bool // over the whole text

	anchored bool // every match begins with a keyword: no need to look elsewhere
}

const (
	// slack keeps a match away from the edges of its window, where ^, $ and \b
	// would see a text that ends.
	slack = 16
	// blanks is how many blanks an unbounded \s* may span.
	blanks = 256
	// maxPrefixes bounds the sets of the proof.
	maxPrefixes = 256
)

// analyse finds the reach of an expression without a window of its own. A rule
// may run in windows only if every match holds one of its keywords, which is
// proved here from the syntax; without a proof it runs over the whole text.
func analyse(re *syntax.Regexp, keywords []string) reach {
	p := prover{keywords: keywords}
	var r reach
	if _, _, ok := p.walk(re); !ok {
		r.whole = true
		return r
	}
	n := r.maxLen(re)
	if !r.whole {
		r.left, r.right = p.before(re)+slack, n+slack
	}
	return r
}

// before returns how many bytes of a match may stand before the end of its
// first sure keyword.
func (p *prover) before(re *syntax.Regexp) int {
	for re.Op == syntax.OpCapture {
		re = re.Sub[0]
	}
	var r reach
	if re.Op != syntax.OpConcat {
		return r.maxLen(re)
	}
	n := 0
	for _, s := range re.Sub {
		if _, _, ok := p.walk(s); ok {
			return n + p.before(s)
		}
		n += r.maxLen(s)
	}
	return n
}

// maxLen returns the greatest length of a match in bytes, and notes in r where
// there is none.
func (r *reach) maxLen(re *syntax.Regexp) int {
	switch re.Op {
	case syntax.OpLiteral:
		n := 0
		for _, c := range re.Rune {
			n += utf8.RuneLen(c)
		}
		return n
	case syntax.OpCharClass:
		return classLen(re.Rune)
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		return utf8.UTFMax
	case syntax.OpCapture, syntax.OpQuest:
		return r.maxLen(re.Sub[0])
	case syntax.OpConcat:
		n := 0
		for _, s := range re.Sub {
			n += r.maxLen(s)
		}
		return n
	case syntax.OpAlternate:
		n := 0
		for _, s := range re.Sub {
			n = max(n, r.maxLen(s))
		}
		return n
	case syntax.OpRepeat:
		if re.Max >= 0 {
			return re.Max * r.maxLen(re.Sub[0])
		}
		return re.Min*r.maxLen(re.Sub[0]) + r.unbounded(re.Sub[0])
	case syntax.OpStar, syntax.OpPlus:
		return r.maxLen(re.Sub[0]) + r.unbounded(re.Sub[0])
	}
	return 0 // anchors
}

// unbounded handles x* by what x may be: no blanks, only blanks, or anything.
func (r *reach) unbounded(re *syntax.Regexp) int {
	if re.Op != syntax.OpCharClass {
		r.whole = true
		return 0
	}
	var blank, other bool
	for i := 0; i < len(re.Rune); i += 2 {
		for c := re.Rune[i]; c <= re.Rune[i+1] && c <= unicode.MaxASCII; c++ {
			blank = blank || isBlank(byte(c))
			other = other || !isBlank(byte(c))
		}
		other = other || re.Rune[i+1] > unicode.MaxASCII
	}
	switch {
	case blank && other:
		r.whole = true
	case blank:
		return blanks
	default:
		r.run = true
	}
	return 0
}

// classLen returns the greatest length of a character of a class. The two that
// are in a class only because they fold to ASCII (ſ to s, K to k) count as one
// byte: a value with more of them than slack allows for is found in the
// normalised view.
func classLen(ranges []rune) int {
	n := 0
	for i := 1; i < len(ranges); i += 2 {
		if c := ranges[i]; c != 'ſ' && c != '\u212A' {
			n = max(n, utf8.RuneLen(c))
		}
	}
	return n
}

// prover shows that every match of an expression holds a keyword.
type prover struct{ keywords []string }

// walk returns strings with one of which (lower case) every match of re begins,
// whether they are all of the match, and whether every match holds a keyword.
func (p *prover) walk(re *syntax.Regexp) (begins []string, complete, proved bool) {
	switch re.Op {
	case syntax.OpLiteral:
		begins = []string{strings.ToLower(string(re.Rune))}
		return begins, true, p.all(begins)
	case syntax.OpCharClass:
		if begins = small(re.Rune); begins != nil {
			return begins, true, p.all(begins)
		}
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return []string{""}, true, false
	case syntax.OpCapture:
		return p.walk(re.Sub[0])
	case syntax.OpConcat:
		return p.concat(re.Sub)
	case syntax.OpAlternate:
		return p.alternate(re.Sub)
	case syntax.OpQuest:
		b, c, _ := p.walk(re.Sub[0])
		return append([]string{""}, b...), c, false
	case syntax.OpPlus:
		b, _, ok := p.walk(re.Sub[0])
		return b, false, ok
	case syntax.OpRepeat:
		if re.Min > 0 {
			b, c, ok := p.walk(re.Sub[0])
			return b, c && re.Min == 1 && re.Max == 1, ok
		}
	}
	return []string{""}, false, false
}

func (p *prover) concat(subs []*syntax.Regexp) (begins []string, complete, proved bool) {
	cur, first := []string{""}, true
	complete = true
	flush := func() {
		proved = proved || p.all(cur)
		if first {
			begins, first = cur, false
		}
		cur = []string{""}
	}
	for _, s := range subs {
		b, c, ok := p.walk(s)
		proved = proved || ok
		if len(cur)*len(b) > maxPrefixes {
			flush()
			complete = false
		}
		cur = cross(cur, b)
		if !c {
			flush()
			complete = false
		}
	}
	flush()
	return begins, complete, proved
}

func (p *prover) alternate(subs []*syntax.Regexp) (begins []string, complete, proved bool) {
	complete, proved = true, true
	for _, s := range subs {
		b, c, ok := p.walk(s)
		begins = append(begins, b...)
		complete = complete && c
		proved = proved && (ok || p.all(b))
	}
	if len(begins) > maxPrefixes {
		return []string{""}, false, proved
	}
	return begins, complete, proved
}

// all reports whether each of the strings holds a keyword.
func (p *prover) all(strs []string) bool {
	return !slices.ContainsFunc(strs, func(s string) bool { return !containsAny(s, p.keywords) })
}

func cross(a, b []string) []string {
	out := make([]string, 0, len(a)*len(b))
	for _, x := range a {
		for _, y := range b {
			out = append(out, x+y)
		}
	}
	return out
}

// atStart reports whether every match of an expression begins with a keyword.
func atStart(re *syntax.Regexp, keywords []string) bool {
	p := prover{keywords: keywords}
	begins, _, _ := p.walk(re)
	return !slices.ContainsFunc(begins, func(b string) bool {
		return !slices.ContainsFunc(keywords, func(k string) bool { return strings.HasPrefix(b, k) })
	})
}

// small returns the characters of a class, in lower case, or nil if it has too
// many to follow.
func small(ranges []rune) []string {
	var out []string
	for i := 0; i < len(ranges); i += 2 {
		for c := ranges[i]; c <= ranges[i+1]; c++ {
			if len(out) == 8 {
				return nil
			}
			out = append(out, strings.ToLower(string(c)))
		}
	}
	return out
}
