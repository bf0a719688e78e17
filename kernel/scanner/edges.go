package scanner

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// edges is what of a text counts when others are put beside it. A store is joined
// with each new text, so it is worked out once for a text.
type edges struct {
	edgy   bool
	ends   [cutWords + 1]rim
	begins [cutWords + 1]rim
}

// The ways to drop what people put around a piece.
const (
	cutBlanks = iota // blanks, quotes, brackets
	cutSigns         // dots and colons, too, which may also be a part of a token
	cutWords         // words of a language, too: "part 2 of the token: ..."
)

var cuts = [...]func(l, r string) (string, string){cutBlanks: trimBlanks, cutSigns: trimSigns, cutWords: trimWords}

// rim is one edge of a text.
type rim struct {
	text    string // what is joined
	from    int    // where that begins in the whole text
	dropped string // what stood between it and the edge
	letters bool   // dropped has some
	run     int    // length of the part of a word that touches the join
	marked  bool   // there may be the mark of a key block, or the half of one
}

func edgesOf(text string) *edges {
	e := &edges{edgy: edgy(text)}
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "?") // what is stored already is not what is judged
	}
	tail, head := lastBytes(text, edge), firstBytes(text, edge)
	for i, cut := range cuts {
		x, y := cut(tail, head)
		e.ends[i] = newRim(x, tail[min(len(x), len(tail)):])
		e.ends[i].from = len(text) - len(tail) + strings.Index(tail, x)
		e.begins[i] = newRim(y, head[:len(head)-len(y)])
		e.begins[i].from = strings.Index(text, y)
		for k := len(x); k > 0 && isJoint(x[k-1]); k-- {
			e.ends[i].run++
		}
		for k := 0; k < len(y) && isJoint(y[k]); k++ {
			e.begins[i].run++
		}
	}
	return e
}

func newRim(text, dropped string) rim {
	marked := strings.Contains(text, "---") || strings.Contains(text, "PuTTY-")
	for n := 1; n < len("PuTTY-"); n++ {
		marked = marked || strings.HasSuffix(text, "PuTTY-"[:n]) || strings.HasPrefix(text, "PuTTY-"[n:])
	}
	return rim{text: text, dropped: dropped, letters: strings.ContainsFunc(dropped, unicode.IsLetter), marked: marked}
}

// mayJoin says whether x and y together may be worth a look: whatever [seam.worth]
// takes, it does.
func mayJoin(x, y *rim) bool {
	return x.marked || y.marked || x.run > 0 && y.run > 0 && x.run+y.run >= leastJoined
}

// maxEdges bounds how many texts a cache knows. A store is looked at 64 texts at a
// time.
const maxEdges = 1024

// edgeCache remembers the edges of texts. The zero value is empty.
type edgeCache struct {
	mu sync.Mutex
	m  map[string]*edges
}

func (c *edgeCache) of(text string) *edges {
	c.mu.Lock()
	e := c.m[text]
	c.mu.Unlock()
	if e != nil {
		return e
	}
	e = edgesOf(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.m == nil || len(c.m) >= maxEdges {
		c.m = make(map[string]*edges, maxEdges/8)
	}
	c.m[text] = e
	return e
}

// edgy says whether there may be a part of a secret near an edge of a text: letters
// and digits in one word, or capitals among small letters, or the mark of a key
// block.
func edgy(s string) bool {
	return partlike(lastBytes(s, nearEdge)) || len(s) > nearEdge && partlike(firstBytes(s, nearEdge))
}

func partlike(s string) bool {
	if strings.Contains(s, "-----") || strings.Contains(s, "PuTTY-") {
		return true
	}
	for from := 0; from < len(s); {
		to := from
		for to < len(s) && isJoint(s[to]) {
			to++
		}
		word := s[from:to]
		if len(word) >= leastPart && (strings.ContainsAny(word, "0123456789") && hasLetter(word) || turns(word)*4 >= len(word)) {
			return true
		}
		from = to + 1
	}
	return false
}

// isDelimiter says whether r stands around what people write down, and is no
// part of it.
func isDelimiter(r rune) bool {
	return r <= ' ' || strings.ContainsRune("\"'`*|,;()[]{}<>…§·•“”„«»‘’→\\", r)
}

func trimBlanks(l, r string) (string, string) {
	return strings.TrimRightFunc(l, isDelimiter), strings.TrimLeftFunc(r, isDelimiter)
}

// trimSigns trims dots and colons, too, which may also be a part of a token.
func trimSigns(l, r string) (string, string) {
	is := func(c rune) bool { return isDelimiter(c) || strings.ContainsRune(".:!?-–—=+#", c) }
	return strings.TrimRightFunc(l, is), strings.TrimLeftFunc(r, is)
}

// trimWords drops what comes behind the last odd word on the left, and before
// the first one on the right: "part 2 of the token: ...".
func trimWords(l, r string) (string, string) {
	end := len(l)
	eachSpan(l, func(s span) {
		if isPiece(l[s.start:s.end]) {
			end = s.end
		}
	})
	start, done := 0, false
	eachSpan(r, func(s span) {
		if !done && isPiece(r[s.start:s.end]) {
			start, done = s.start, true
		}
	})
	l, r = l[:end], r[start:]
	return strings.TrimRight(l, ".:,;"), r
}

// isPiece says whether a word may be a piece of a token.
func isPiece(w string) bool {
	w = strings.TrimRight(w, ".:")
	return len(w) >= 4 && (isMixed(w) || strings.ContainsAny(w, "_+=") || turns(w) >= 3)
}
