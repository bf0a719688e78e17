package scanner

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"
)

const (
	// maxJoins is with how many texts a new one is joined: the last ones.
	maxJoins = 64
	// edge is how much of the end or the beginning of a text is joined, in bytes.
	edge = 512
	// chain is how many texts in a row are put together with a new one, for what
	// is split over more than two.
	chain = 4
	// leastJoined is the length of a word that a join must make: less is no token.
	leastJoined = 16
	// Of two parts of such a word one has at least half of it, within so many bytes
	// of the text's edge.
	leastPart = leastJoined / 2
	nearEdge  = 160
)

// ScanJoined finds secrets that only come about by storing the text: a token or
// a key of which one part is in the text and the other in one of those that are
// stored before, in either order. The texts before are in the order in which
// they were stored; the last 64 count, with 512 bytes from their edges. Between
// the parts may stand what people put around them: blanks, quotes, punctuation,
// a label. A finding has its place in text.
//
// Only what is new rejects: a value that spans the join, and that none of the
// two texts has alone. The text itself is not judged; see [Scanner.Scan].
func (s *Scanner) ScanJoined(ctx context.Context, before []string, text string) (rep Report, err error) {
	defer func() {
		if v := recover(); v != nil {
			err = &Failure{Reason: ReasonPanic, Err: fmt.Errorf("%T", v)}
		}
		if err != nil {
			rep = Report{}
		}
	}()
	field := Field{Name: "content", Text: text}
	if err := s.check([]Field{field}); err != nil {
		return Report{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.opts.Timeout)
	defer cancel()
	j := seaming{s: s, text: text, edges: s.edges.of(text), seen: map[string]bool{}, c: &collector{
		fields: []Field{field}, limit: s.opts.MaxFindings, known: s.known, policy: s.policy, allow: s.allow, key: s.opts.Key,
	}}
	for i := max(0, len(before)-maxJoins); i < len(before); i++ {
		e := s.edges.of(before[i])
		if !j.edges.edgy && !e.edgy {
			continue // two notes in plain words
		}
		j.pieces = append(j.pieces[:0], piece{i, len(before[i])})
		if err := j.pair(ctx, e); err != nil {
			return Report{}, failure(field.Name, err)
		}
	}
	if whole, ok := j.chained(before); ok {
		if err := j.pair(ctx, edgesOf(whole)); err != nil {
			return Report{}, failure(field.Name, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return Report{}, failure("", err)
	}
	return j.c.report(), nil
}

// seaming looks at a text together with others.
type seaming struct {
	s     *Scanner
	c     *collector
	text  string
	edges *edges          // of text
	seen  map[string]bool // joined texts that were looked at

	pieces []piece // of which the text from before consists
}

// piece is a text from before: which, and its length.
type piece struct{ index, length int }

// chained returns the ends of the last texts put together, if any of them may hold
// a part.
func (j *seaming) chained(before []string) (string, bool) {
	if len(before) < 2 {
		return "", false
	}
	whole, edgy := "", j.edges.edgy
	j.pieces = j.pieces[:0]
	for i := max(0, len(before)-chain); i < len(before); i++ {
		edgy = edgy || j.s.edges.of(before[i]).edgy
		part := strings.TrimFunc(lastBytes(before[i], edge), isDelimiter)
		whole += part
		j.pieces = append(j.pieces, piece{i, len(part)})
	}
	return whole, edgy
}

// seam is two pieces put together: left ends and right begins at.
type seam struct {
	text string
	at   int
	new  span // the piece of the new text in text
	from int  // where that piece begins in the new text
	// loose says that words were dropped between the pieces, none of which says that
	// there are pieces.
	loose bool

	after   bool // the new text stands behind those from before
	dropped int  // bytes of those that were dropped at the join
}

// beside returns the texts from before that a value in the joined text has a part
// of.
func (j *seaming) beside(w seam, value span) []int {
	need, pieces := w.dropped+value.end-w.at, slices.Clone(j.pieces)
	if w.after {
		need = w.dropped + w.at - value.start
		slices.Reverse(pieces) // the last one stands at the join
	}
	var out []int
	for _, p := range pieces {
		if need > 0 {
			out = append(out, p.index)
		}
		need -= p.length
	}
	return out
}

// saysPiece finds the words by which people tell that a text is a piece.
var saysPiece = regexp.MustCompile(`(?i)\b(?:parts?|piece|half|rest|remain\w*|continu\w*|second|first|begin\w*|start\w*|ends?|tail|suffix|chunk|other|next|\d+/\d+|teil|rest|partie|parte)\b`)

// pair looks at a text from before and the new one, in both orders.
func (j *seaming) pair(ctx context.Context, old *edges) error {
	for _, after := range []bool{true, false} {
		l, r := old, j.edges
		if !after {
			l, r = r, l
		}
		for i := range cuts {
			x, y := &l.ends[i], &r.begins[i]
			if !mayJoin(x, y) {
				continue
			}
			w := seam{text: x.text + y.text, at: len(x.text), after: after, dropped: len(y.dropped)}
			w.loose = i == cutWords && (x.letters || y.letters) && !saysPiece.MatchString(x.dropped) && !saysPiece.MatchString(y.dropped)
			if after {
				w.dropped = len(x.dropped)
				w.new, w.from = span{len(x.text), len(w.text)}, y.from
			} else {
				w.new, w.from = span{0, len(x.text)}, x.from
			}
			if j.seen[w.text] || !w.worth() {
				continue
			}
			j.seen[w.text] = true
			if err := j.look(ctx, w); err != nil {
				return err
			}
		}
	}
	return nil
}

// worth says whether the join makes a word that may be a part of a secret.
func (w seam) worth() bool {
	from, to := w.at, w.at
	for from > 0 && isJoint(w.text[from-1]) {
		from--
	}
	for to < len(w.text) && isJoint(w.text[to]) {
		to++
	}
	if from == w.at || to == w.at {
		return strings.Contains(w.text, "-----BEGIN") || strings.Contains(w.text, "-----END") || strings.Contains(w.text, "PuTTY-")
	}
	word := w.text[from:to]
	return len(word) >= leastJoined && (strings.ContainsAny(word, "0123456789") || turns(word)*4 >= len(word)) ||
		strings.Contains(w.text, "-----") || strings.Contains(w.text, "PuTTY-")
}

func isJoint(c byte) bool { return isWord(c) || c == '@' || c == '%' || c == '|' }

// look scans a joined text.
func (j *seaming) look(ctx context.Context, w seam) error {
	found, err := j.values(ctx, w.text)
	if err != nil {
		return err
	}
	var left, right []joinedValue
	for _, f := range found {
		if f.at.start >= w.at || f.at.end <= w.at || f.rule.id == foreignGeneric && !isRandom(w.text[f.at.start:f.at.end]) {
			continue
		}
		if w.loose && !(substantial(w.text[f.at.start:w.at]) && substantial(w.text[w.at:f.at.end])) {
			continue // the prefix of a token in one note, and any other random value in another
		}
		if left == nil && right == nil {
			if left, err = j.values(ctx, w.text[:w.at]); err != nil {
				return err
			}
			if right, err = j.values(ctx, w.text[w.at:]); err != nil {
				return err
			}
		}
		old := func(o joinedValue) bool { return o.rule == f.rule && o.at.start == f.at.start }
		older := func(o joinedValue) bool { return o.rule == f.rule && o.at.end+w.at == f.at.end }
		if slices.ContainsFunc(left, old) || slices.ContainsFunc(right, older) {
			continue // one of the texts has it alone
		}
		at := span{max(f.at.start, w.new.start), min(f.at.end, w.new.end)}
		at = snap(j.text, span{at.start - w.new.start + w.from, at.end - w.new.start + w.from})
		j.c.add(Finding{
			Action: f.rule.action, Rule: f.rule.id, Category: f.rule.category,
			Description: f.rule.description + ", completed by a text that is stored already",
			View:        viewJoined.String(), Beside: j.beside(w, f.at), Offset: at.start, Length: at.end - at.start, span: at,
		})
	}
	return nil
}

// byItsNeighbours is the rule that judges a random value by the words around it,
// which a join puts together at random.
const byItsNeighbours = "rnix-secret-near"

// joinedValue is the value of a match, where it stands in a joined text.
type joinedValue struct {
	rule *rule
	at   span
}

func (j *seaming) values(ctx context.Context, text string) ([]joinedValue, error) {
	list, err := views(Field{Text: text})
	if err != nil {
		return nil, &Failure{Reason: ReasonTooLarge, Err: err}
	}
	w := j.s.windows.Get().(*windows)
	defer j.s.windows.Put(w)
	var out []joinedValue
	for _, v := range list {
		err := j.s.engine.run(ctx, v, w, func(m *match) bool {
			// A credential is what its label says, which need not be about the other
			// text: only what is a secret by itself can be told to be one in two parts.
			if m.rule.category == CategorySecret && m.rule.id != byItsNeighbours {
				at := m.at
				if m.rule.redact == redactBlock {
					at = m.all
				}
				if at = snap(text, v.source(at)); !inMask(text, at, j.s.known) {
					out = append(out, joinedValue{m.rule, at})
				}
			}
			return true
		})
		if err != nil {
			return nil, err
		}
	}
	return out, nil
}

func lastBytes(s string, n int) string {
	i := max(0, len(s)-n)
	for i < len(s) && !utf8.RuneStart(s[i]) {
		i++
	}
	return s[i:]
}

func firstBytes(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}

func eachSpan(text string, f func(span)) {
	for i := 0; i < len(text); {
		if !isWord(text[i]) {
			i++
			continue
		}
		k := i
		for i < len(text) && isWord(text[i]) {
			i++
		}
		f(span{k, i})
	}
}

// substantial says whether a piece is random by itself, more than a prefix.
func substantial(s string) bool {
	return len(s) >= 6 && (strings.ContainsAny(s, "0123456789") && hasLetter(s) || turns(s) >= 3)
}

func hasLetter(s string) bool {
	for i := range len(s) {
		if isLetter(s[i]) {
			return true
		}
	}
	return false
}
