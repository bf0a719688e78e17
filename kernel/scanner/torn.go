package scanner

import (
	"regexp"
	"slices"
	"strings"
)

const (
	leastToken = 16  // characters of a token
	mostToken  = 256 // that are put together
	fewParts   = 12  // so many parts may be the whole of a token that has more behind it
	mostGap    = 96  // bytes between two parts
)

// prefixes are the beginnings of tokens that are sure by their form.
type prefixes struct {
	words map[int][]string     // by hash3
	some  [1 << 15 / 64]uint64 // which hashes there are, a bit each
}

// hash3 returns a hash of three characters, the same for capitals and small letters.
func hash3(a, b, c byte) int { return int(a&31)<<10 | int(b&31)<<5 | int(c&31) }

func (p *prefixes) add(word string) {
	if len(word) < 3 {
		return
	}
	h := hash3(word[0], word[1], word[2])
	if p.words == nil {
		p.words = map[int][]string{}
	}
	p.words[h] = append(p.words[h], word)
	p.some[h/64] |= 1 << (h % 64)
}

func (p *prefixes) by(a, b, c byte) []string {
	if h := hash3(a, b, c); p.some[h/64]>>(h%64)&1 != 0 {
		return p.words[h]
	}
	return nil
}

// begin reports whether a token begins with one of them.
func (p *prefixes) begin(s string) bool {
	return len(s) >= leastToken && slices.ContainsFunc(p.by(s[0], s[1], s[2]), func(w string) bool {
		return len(w) <= len(s) && strings.EqualFold(s[:len(w)], w)
	})
}

// mender makes the view of tokens with a known prefix that are torn apart (over
// strings, variables, cells, lines, tags), spelled, reversed or in rot13. Only rules
// that are sure by such a prefix run over it.
type mender struct {
	*viewBuilder
	known *prefixes
	text  string
}

// mend returns the view of a mender, or nil if there is nothing in it. Of a view that is
// made of another one, it looks at what is new.
func mend(v *view, p *prefixes) *view {
	if !strings.ContainsAny(v.text, "0123456789") {
		return nil
	}
	m := mender{&viewBuilder{from: v}, p, v.text}
	if v.base == nil {
		m.search(0, len(v.text))
	}
	done := 0
	for _, mark := range v.marks {
		if v.base != nil {
			done = m.search(max(done, mark.start-mostToken), min(len(v.text), mark.end+mostToken))
		}
	}
	if len(m.viewBuilder.text) == 0 {
		return nil
	}
	return m.view(viewToken)
}

// search looks for the beginnings of tokens from i to end, and returns where it ends.
func (m *mender) search(i, end int) int {
	for i < end {
		if kinds[m.text[i]]&kindPart == 0 || m.text[i] == '-' {
			i++
			continue
		}
		word := span{i, runEnd(m.text, i, kindPart)}
		if m.near(i) {
			i = m.addTorn(m.parts(word))
		}
		if word.end-word.start >= leastToken {
			m.addTurned(word)
		}
		i = max(i, word.end)
	}
	return i
}

// near reports whether a prefix begins at i, with signs between its characters or not.
func (m *mender) near(i int) bool {
	const signs = 3
	if i+2 < len(m.text) && isAlnum(m.text[i+1]) && isAlnum(m.text[i+2]) && m.known.by(m.text[i], m.text[i+1], m.text[i+2]) == nil {
		return false // most words
	}
	head, n := [3]byte{m.text[i]}, 1
	for k := i + 1; n < 3 && k < len(m.text) && k < i+3*signs; k++ {
		if c := m.text[k]; kinds[c]&kindPart != 0 && (c != '-' || k == i+2 && n == 2) {
			head[n] = c
			n++
		}
	}
	list := m.known.by(head[0], head[1], head[2])
	return list != nil && slices.ContainsFunc(list, func(w string) bool {
		return scattered(m.text[i:min(len(m.text), i+(1+signs)*len(w))], w)
	})
}

// scattered reports whether a text begins with the characters of a word in small
// letters, and only signs between them.
func scattered(text, word string) bool {
	n := 0
	for i := 0; i < len(text) && n < len(word); i++ {
		switch c := text[i]; {
		case c == word[n], isLetter(c) && c|0x20 == word[n]:
			n++
		case isAlnum(c), c == '_':
			return false
		}
	}
	return n == len(word)
}

// parts returns the parts of a token that begins with the first.
func (m *mender) parts(first span) []span {
	for n := 3; n > 0; n-- {
		if list := m.spelled(first.start, n); len(list) >= leastToken {
			return list
		}
	}
	list, length := []span{first}, first.end-first.start
	for length < mostToken {
		next := m.next(list[len(list)-1].end)
		if next.end == 0 {
			break
		}
		list, length = append(list, next), length+next.end-next.start
	}
	return list
}

// spelled returns the characters that begin at i with the same n bytes between them.
func (m *mender) spelled(i, n int) []span {
	if i+3+2*n > len(m.text) || isAlnum(m.text[i+1]) || m.text[i+1:i+1+n] != m.text[i+2+n:i+2+2*n] {
		return nil
	}
	var list []span
	for k := i; k < len(m.text) && kinds[m.text[k]]&kindPart != 0 && len(list) < mostToken; k += 1 + n {
		if list = append(list, span{k, k + 1}); k+1+n > len(m.text) || m.text[k+1:k+1+n] != m.text[i+1:i+1+n] {
			break
		}
	}
	return list
}

// between matches what may stand between two parts of a token: an assignment, the
// beginning of a line, tags, comments, calls, signs.
var between = regexp.MustCompile(`^(?:` +
	`[;,\n{][ \t]*["']?[A-Za-z_]{1,12}[ _-]?\d{1,2}["']?[ \t]*[:=][ \t]*` + // part 2:
	`|[;\n,&)][ \t]*(?:(?:export|const|let|var|my|set)[ \t]+)?\$?([A-Za-z_]\w{0,31})[ \t]*(?::?=|([+.]=))[ \t]*((?:f?["'])?(?:\$\{?\w+\}?|\{\w+\}|\w+[ \t]*[+.])[ \t]*)?` +
	`|\r?\n[ \t]*(?:(?:[>+*#|•]+|-+|//+|\d{1,6}[ \t|]|\(?\d{1,5}(?:/\d+)?[.):]|\[[^\]\n]{1,40}\]|\d{2,4}[-:/]\d[\dT:.,Z/+-]{3,30}|(?:DEBUG|INFO|WARN|WARNING|ERROR|TRACE)\b)[ \t]*)*` +
	`|</?[A-Za-z!][^<>\n]{0,60}>|/\*[^\n]{0,40}?\*/|\.(?:concat|append|push|write|add)\(|[ \t+,(][fFrRbBuL]["']` +
	`|(?:\b(?:and|then|plus|the|first|second|third|next|last|other|half|part|piece|rest|of|it|is|goes|followed|by|with)\b[ \t:,]*)+` +
	"|[ \\t]|[\"'`+|*,.&\\\\()\\[\\]{};:~#>$%/?=]|[^\\x00-\\x7f]|-+[ \\t])+")

// linked matches the words that may stand between two parts.
var linked = regexp.MustCompile(`^(?:and|then|plus|followed|the)\b`)

// next returns the part of a token that goes on behind i; the zero span if none does.
func (m *mender) next(i int) span {
	rest := m.text[i:min(len(m.text), i+mostGap)]
	if k := runEnd(rest, 0, kindBlank); k == len(rest) || k > 0 && isAlnum(rest[k]) && !strings.ContainsAny(rest[:k], "\t\n") && !strings.Contains(m.text, "%s") && !linked.MatchString(rest[k:]) {
		return span{} // a sentence goes on
	}
	loc := between.FindStringSubmatchIndex(rest)
	if loc == nil || i+loc[1] == len(m.text) || kinds[m.text[i+loc[1]]]&kindPart == 0 {
		return span{}
	}
	gap, s := rest[:loc[1]], span{i + loc[1], runEnd(m.text, i+loc[1], kindPart)}
	part := m.text[s.start:s.end]
	// The value of a variable counts if it stands next to another one: $A$B, {a}{b}, a + b.
	if loc[2] >= 0 && loc[4] < 0 && loc[6] < 0 {
		beside := regexp.MustCompile(`\w["'}]*(?:\$\{?|\{| ?[+.] ?\$?|, ?)` + rest[loc[2]:loc[3]] + `\b`)
		if !beside.MatchString(m.text[s.end:min(len(m.text), s.end+mostToken)]) {
			return span{}
		}
	}
	switch {
	case len(gap) > 1 && len(part) > 2 && kindsOf(part[1:]) == kindsOf("a"), // a word
		len(part) >= 32 && strings.Trim(part, "0123456789abcdef") == "", // a hash
		m.known.begin(m.text[s.start:]),
		strings.HasPrefix(m.text[s.end:], `":`), strings.HasPrefix(m.text[s.end:], `": `):
		return span{}
	}
	return s
}

// addTorn adds the tokens that the first of the parts are together, and returns where
// the search goes on.
func (m *mender) addTorn(list []span) int {
	end, token := list[0].end, m.text[list[0].start:list[0].end]
	for n, s := range list[1:] {
		token += m.text[s.start:s.end]
		whole := n+2 == len(list) || n < fewParts && s.end-s.start > 1
		if whole && m.known.begin(token) && shuffled(token) {
			for _, s := range list[:n+2] {
				m.keep(s.start, s.end)
				m.touch()
			}
			m.add("\n", s.end, s.end)
			end = s.end
		}
	}
	return end
}

// shuffled reports whether small letters, capitals and numbers follow each other as
// in a token, and not as in the names of a program. A number counts once.
func shuffled(s string) bool {
	n, digit := 0, false
	for i := range len(s) {
		n += count(isAlnum(s[i]) && !(digit && isDigit(s[i])))
		digit = isDigit(s[i])
	}
	if kindsOf(s)&kindLower == 0 {
		return 10*turns(s) >= n
	}
	return 5*turns(s) >= 2*n
}

// addTurned adds a word that begins with a prefix once it is read backwards or by
// rot13.
func (m *mender) addTurned(s span) {
	for _, turned := range []func(int) (byte, int){
		func(i int) (byte, int) { return rot13(m.text[s.start+i]), s.start + i },
		func(i int) (byte, int) { return m.text[s.end-1-i], s.end - 1 - i },
	} {
		var plain [leastToken]byte
		for i := range plain {
			plain[i], _ = turned(i)
		}
		if !m.known.begin(string(plain[:])) {
			continue
		}
		for i := range s.end - s.start {
			c, at := turned(i)
			m.add(string(rune(c)), at, at+1)
		}
		m.add("\n", s.end, s.end)
	}
}

func rot13(c byte) byte {
	if !isLetter(c) {
		return c
	}
	return c&^31 | (c&31+12)%26 + 1
}

// turn returns the whole text backwards or in rot13, if it names a password or a key
// then; else nil.
func turn(v *view) *view {
	back := strings.Contains(v.text, "drowssa") // P or p
	if !back && !containsAny(v.text, []string{"nffjbeq", "CEVINGR XRL"}) {
		return nil
	}
	b := newViewBuilder(v)
	for i := range len(v.text) {
		c := rot13(v.text[i])
		if back {
			i = len(v.text) - 1 - i
			c = v.text[i]
		}
		b.add(string(rune(c)), i, i+1)
	}
	return b.view(viewDecoded)
}
