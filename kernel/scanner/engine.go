package scanner

import (
	"context"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"maps"
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// engine runs rules over views.
type engine struct {
	rules []*rule
	words *automaton
	size  []int      // by word: its length
	keys  [][]uint16 // by word: the rules of which it is a keyword
	needs []need     // by rule
	runs  []uint16   // rules that run over words
	finds []*rule    // rules without an expression
	whole []uint16   // rules without a keyword, which run over the whole text
	known prefixes   // of the rules that are sure by one
}

func newEngine(rules []*rule) *engine {
	e := &engine{rules: rules}
	index, words := map[string]uint16{}, []string{}
	for i, r := range rules {
		e.needs = append(e.needs, need{})
		if r.action == Off {
			continue
		}
		if r.find != nil {
			e.finds = append(e.finds, r)
			continue
		}
		if r.word != nil {
			e.runs = append(e.runs, uint16(i))
		}
		if r.word == nil && len(r.keywords) == 0 && r.user {
			e.whole = append(e.whole, uint16(i))
		}
		for _, k := range r.keywords {
			if r.views&viewToken != 0 {
				e.known.add(k)
				for _, k := range []string{k, strings.ToUpper(k)} { // and how it begins in code
					e.known.add(hex.EncodeToString([]byte(k)))
					e.known.add(base64.StdEncoding.EncodeToString([]byte(k[:len(k)/3*3])))
				}
			}
			if id := int(indexOf(k, index, &words)); id == len(e.keys) {
				e.keys = append(e.keys, []uint16{uint16(i)})
			} else {
				e.keys[id] = append(e.keys[id], uint16(i))
			}
		}
	}
	for i, r := range rules {
		if r.action != Off {
			e.needs[i] = r.need.number(index, &words)
		}
	}
	for _, w := range words {
		e.size = append(e.size, len(w))
	}
	e.words = newAutomaton(words)
	return e
}

// windows says where each rule has to look; it is kept between scans.
type windows struct {
	byRule  [][]span
	touched []uint16
	work    int // bytes handed to expressions, by all scans

	ends   [][]int32 // by word: where it ends in the view
	seen   []uint16  // the words that the view has
	hits   []hit     // the keywords of the view
	chance []chance  // by rule
}

// hit is a keyword in a view.
type hit struct {
	word uint16
	end  int32
}

// chance says whether a view has what a rule needs.
type chance uint8

const (
	unknown chance = iota
	good
	none
)

const (
	// maxPiece is how long windows that touch become together, in bytes, if each
	// of them is short. An expression that finds much in a piece reads the rest of
	// it again for each match, and nothing can stop it before the piece ends.
	maxPiece = 2 << 10
	// wholePiece and wholeOverlap are for rules that run over the whole text: the
	// overlap is longer than what they look for, a private key of 16,384 bits.
	wholePiece   = 64 << 10
	wholeOverlap = 16 << 10
)

// read begins a view: it finds the words of all rules in it.
func (w *windows) read(e *engine, text string) {
	if len(w.byRule) < len(e.rules) || len(w.ends) < len(e.size) {
		*w = windows{work: w.work, byRule: make([][]span, len(e.rules)), ends: make([][]int32, len(e.size)), chance: make([]chance, len(e.rules))}
	}
	for _, r := range w.touched {
		w.byRule[r] = w.byRule[r][:0]
	}
	for _, word := range w.seen {
		w.ends[word] = w.ends[word][:0]
	}
	clear(w.chance)
	w.touched, w.seen, w.hits = w.touched[:0], w.seen[:0], w.hits[:0]
	e.words.walk(text, func(word uint16, end int) {
		if len(w.ends[word]) == 0 {
			w.seen = append(w.seen, word)
		}
		w.ends[word] = append(w.ends[word], int32(end))
		if int(word) < len(e.keys) {
			w.hits = append(w.hits, hit{word, int32(end)})
		}
	})
}

// add notes a window; windows that touch become one, up to the size of a piece. A
// longer window gets pieces twice its size, so that at most half of a piece has been
// looked at in the piece before. Keywords come in the order of their ends, so only
// the last windows can touch. Those of an anchored rule stay apart: each is one
// place to try.
func (w *windows) add(rule uint16, s span, apart bool) {
	list := w.byRule[rule]
	if len(list) == 0 {
		w.touched = append(w.touched, rule)
	}
	most := max(maxPiece, 2*(s.end-s.start))
	for !apart && len(list) > 0 && list[len(list)-1].end >= s.start {
		last := list[len(list)-1]
		both := span{min(s.start, last.start), max(s.end, last.end)}
		if both.end-both.start > most {
			break
		}
		s = both
		list = list[:len(list)-1]
	}
	w.byRule[rule] = append(list, s)
}

// addWhole notes the whole of a text, in pieces.
func (w *windows) addWhole(rule uint16, length int) {
	for start := 0; ; start += wholePiece - wholeOverlap {
		w.add(rule, span{start, min(length, start+wholePiece)}, true)
		if start+wholePiece >= length {
			return
		}
	}
}

// covers reports whether the last window of a rule shows all that the one of
// another keyword would: many keywords in one long word have one window.
func (w *windows) covers(i uint16, r *rule, start, end, length int) bool {
	list := w.byRule[i]
	if len(list) == 0 || r.reach.anchored {
		return false
	}
	last := list[len(list)-1]
	return r.reach.whole || last.start <= max(0, start-r.reach.left) && last.end >= min(length, end+r.reach.right)
}

// match is one match of a rule in a view.
type match struct {
	rule  *rule
	view  *view
	all   span   // of the match in the view
	at    span   // of the value in the view
	whole string // the match
	value string
}

// maxLine is how much of a long line counts on each side of a match, in bytes.
const maxLine = 4 << 10

// line returns the line or lines that hold the match.
func (m *match) line() string {
	t := m.view.text
	from := max(0, m.all.start-maxLine)
	from += strings.LastIndexByte(t[from:m.all.start], '\n') + 1
	to := min(len(t), m.all.end+maxLine)
	if i := strings.IndexByte(t[m.all.end:to], '\n'); i >= 0 {
		to = m.all.end + i
	}
	return t[from:to]
}

// hitsPerCheck is how many keywords are looked at between two looks at the
// context.
const hitsPerCheck = 1 << 12

// scan calls found for each match of each rule in any view of a field, until found
// returns false for a view.
func (e *engine) scan(ctx context.Context, f Field, w *windows, found func(*match) bool) error {
	list, err := views(ctx, f, &e.known)
	if errors.Is(err, errDecoded) {
		return &Failure{Reason: ReasonTooLarge, Field: f.Name, Err: err}
	}
	if err != nil {
		return err
	}
	for _, v := range list {
		if err := e.run(ctx, v, w, found); err != nil {
			return err
		}
	}
	return nil
}

// run calls found for each match of each rule in the view, until found returns
// false.
func (e *engine) run(ctx context.Context, v *view, w *windows, found func(*match) bool) error {
	w.read(e, v.text)
	for i, h := range w.hits {
		if i%hitsPerCheck == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		if v.head > 0 && int(h.end) > v.head {
			break
		}
		for _, r := range e.keys[h.word] {
			e.look(v, w, r, int(h.end)-e.size[h.word], int(h.end))
		}
	}
	if !e.find(v, found) {
		return nil
	}
	for _, i := range e.whole {
		if e.rules[i].views&v.kind == v.kind && v.head == 0 {
			w.addWhole(i, len(v.text))
		}
	}
	e.addWords(v, w)
	for _, i := range w.touched {
		r := e.rules[i]
		if err := r.compile(); err != nil {
			return &Failure{Reason: ReasonRules, Err: err}
		}
		done := 0
		for _, s := range w.byRule[i] {
			if s.start < done {
				continue // inside of an anchored rule's last match
			}
			if err := ctx.Err(); err != nil {
				return err
			}
			w.work += s.end - s.start
			more, end := r.matches(v, s, found)
			if !more {
				return nil
			}
			if r.reach.anchored {
				done = end
			}
		}
	}
	return nil
}

// find runs the rules without an expression. It returns whether to go on.
func (e *engine) find(v *view, found func(*match) bool) bool {
	if v.head > 0 {
		return true
	}
	more := true
	for _, r := range e.finds {
		if r.views&v.kind != v.kind {
			continue
		}
		r.find(v.text, func(s span) {
			m := &match{rule: r, view: v, all: s, at: s, whole: v.text[s.start:s.end], value: v.text[s.start:s.end]}
			more = more && found(m)
		})
	}
	return more
}

// wordMargin is how much a rule sees around a word.
const wordMargin = 2

// addWords adds the windows of the rules that run over words.
func (e *engine) addWords(v *view, w *windows) {
	if len(e.runs) == 0 || v.head > 0 {
		return
	}
	eachWord(v.text, func(s span) {
		for _, i := range e.runs {
			r, all := e.rules[i], span{max(0, s.start-wordMargin), min(len(v.text), s.end+wordMargin)}
			if r.views&v.kind == v.kind && r.word(v.text[s.start:s.end]) && v.isNew(r, all) &&
				e.needs[i].in(w, span{s.start - nearBefore, s.end + nearAfter}) {
				w.add(i, all, true)
			}
		}
	})
}

// look notes the window of a keyword, if the rule can match there.
func (e *engine) look(v *view, w *windows, i uint16, start, end int) {
	r := e.rules[i]
	if r.views&v.kind != v.kind || w.chance[i] == none {
		return
	}
	if w.chance[i] == unknown {
		if w.chance[i] = good; !e.needs[i].in(w, span{0, len(v.text)}) {
			w.chance[i] = none
			return
		}
	}
	if w.covers(i, r, start, end, len(v.text)) || !r.hasChance(v, start, end) {
		return
	}
	if r.reach.whole {
		w.addWhole(i, len(v.text))
	} else if s := r.reach.around(v.text, start, end); e.needs[i].in(w, s) && v.isNew(r, s) {
		w.add(i, s, r.reach.anchored)
	}
}

// hasChance reports whether the text after a keyword lets the rule match.
func (r *rule) hasChance(v *view, start, end int) bool {
	if r.atWord && start > 0 && isAlnum(v.text[start]) && isAlnum(v.text[start-1]) {
		return false
	}
	if r.near != nil && !r.near(v.text, end, r.reach.right) {
		return false
	}
	return len(r.then) == 0 || containsAny(v.lowerCase()[end:min(len(v.text), end+r.reach.right)], r.then)
}

// maxRunReach is how far a window follows a word, in bytes. A longer match is
// cut off there, and found all the same.
const maxRunReach = 4 << 10

// around returns the window of a keyword.
func (r reach) around(text string, start, end int) span {
	lo, hi := max(0, start-r.left), min(len(text), end+r.right)
	if r.anchored {
		lo = start
	}
	if !r.run {
		return span{lo, hi}
	}
	for stop := min(len(text), hi+maxRunReach); hi < stop && !isBlank(text[hi]); {
		hi++
	}
	if r.anchored {
		return span{lo, min(len(text), hi+r.right)}
	}
	for stop := max(0, lo-maxRunReach); lo > stop && !isBlank(text[lo-1]); {
		lo--
	}
	return span{max(0, lo-r.left), min(len(text), hi+r.right)}
}

// matches runs the rule in one window. It returns whether to go on, and where
// the last match ends.
func (r *rule) matches(v *view, w span, found func(*match) bool) (more bool, end int) {
	for _, loc := range r.re.FindAllStringSubmatchIndex(v.text[w.start:w.end], -1) {
		end = w.start + loc[1]
		if m := r.match(v, w.start, loc); r.accepts(m) && !found(m) {
			return false, end
		}
	}
	return true, end
}

// match makes a match of the indexes that the expression returned.
func (r *rule) match(v *view, at int, loc []int) *match {
	m := &match{rule: r, view: v, all: span{at + loc[0], at + loc[1]}}
	for n := 0; n < r.lead && m.all.start > 0 && isName(v.text[m.all.start-1]); n++ {
		m.all.start--
	}
	for m.all.end > m.all.start && v.text[m.all.end-1] == '\n' {
		m.all.end--
	}
	for m.all.start < m.all.end && v.text[m.all.start] == '\n' {
		m.all.start++
	}
	m.at = m.all
	groups := loc[2:]
	if r.group > 0 {
		groups = loc[2*r.group : 2*r.group+2]
	}
	for ; len(groups) > 0; groups = groups[2:] {
		if lo, hi := groups[0], groups[1]; lo >= 0 && (lo < hi || r.group > 0) {
			m.at = span{at + lo, at + hi}
			break
		}
	}
	m.whole = v.text[m.all.start:m.all.end]
	m.value = v.text[m.at.start:m.at.end]
	return m
}

// accepts applies the conditions that an expression can't say.
func (r *rule) accepts(m *match) bool {
	if r.entropy > 0 && entropy(m.value) <= r.entropy {
		return false
	}
	if r.foreign && r.redact != redactBlock && (allowedEverywhere(m.value) || placeholder(m.value)) {
		return false
	}
	if isForeignName(r.id, m.value) || r.id == foreignGeneric && publicKey.MatchString(m.view.text[max(0, m.all.start-len("public ")):m.all.end]) {
		return false
	}
	for i := range r.allow {
		if r.allow[i].allows(m) {
			return false
		}
	}
	return (r.filter == nil || r.filter(m)) && (!r.steers || steers(m.text(), m.all))
}

// entropy is Shannon's, in bits a byte, as gitleaks computes it: by characters
// over the length in bytes.
func entropy(s string) float64 {
	var ascii [utf8.RuneSelf]int
	counts := ascii[:]
	if !isASCII(s) {
		wide := map[rune]int{}
		for _, c := range s {
			wide[c]++
		}
		counts = slices.Collect(maps.Values(wide))
	} else {
		for i := range len(s) {
			counts[s[i]]++
		}
	}
	var e float64
	for _, n := range counts {
		if n > 0 {
			p := float64(n) / float64(len(s))
			e -= p * math.Log2(p)
		}
	}
	return e
}
