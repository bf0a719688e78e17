package recall

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// Sentence is one of a digest.
type Sentence struct {
	Text  string // on one line, without the mark of a list
	Hit   int    // of Hits, from which it is
	worth float64
}

const (
	maxSentences, maxFromOne = 6, 2 // of a digest, and of a hit in it
	longestListed            = 300  // runes of a sentence in the digest of a list
	fewestBytes, worthless   = 12, 0.3
	// What a sentence counts: any, for its hit may reply to what has the words; behind a
	// question or a title, or another sentence, of the words of that.
	bareShare, behindAsking, behindOther = 0.2, 0.5, 0.3
	// A turn so near to the best one, a question, what announces something, what somebody is
	// going to do, and code where none is asked for.
	nearTurns, nearWorth, asksWorth, leadWorth, planWorth, codeWorth = 2, 1.25, 0.25, 0.25, 0.4, 0.5
)

// Digest returns whole sentences of the hits, at most budget runes, the best first: by the
// weight of the query's words in them and beside them, by the hit's score, and by how near
// its turn is to the best one. Statements come before questions; what was said already, or
// nearly, is left out. Of a list of conversations it is the first sentence of each, in order.
func (r *Results) Digest(budget int) (out []Sentence) {
	if r.lists {
		return r.overview(budget)
	}
	var all []Sentence
	kind := kindOf(r.asked.text)
	for i := range r.found {
		all = append(all, r.sentences(i, kind)...)
	}
	slices.SortStableFunc(all, func(a, b Sentence) int { return cmp.Compare(b.worth, a.worth) })
	said, from := folding{texts: map[string]int{}, runs: map[uint64][]int{}}, map[int]int{}
	for _, s := range all {
		words, n := wordsOf(s.Text), utf8.RuneCountInString(s.Text)
		text, runs := strings.Join(words, " "), shingles(words)
		_, known := said.texts[text]
		_, near := said.near(words, runs)
		switch {
		case known, near, from[s.Hit] == maxFromOne, len(text) < fewestBytes, n > budget, len(out) == maxSentences, s.worth < worthless*all[0].worth:
			continue
		}
		said.texts[text] = said.keep(&candidateHit{}, words, runs)
		from[s.Hit]++
		budget -= n
		out = append(out, s)
	}
	return out
}

// overview is the first sentence of each hit that is not too long, whatever its words: who
// asks what was done wants to hear of each conversation.
func (r *Results) overview(budget int) (out []Sentence) {
	for i := range r.found {
		for _, s := range analysis.Sentences(r.found[i].text) {
			text := unmarked(r.found[i].text[s.Start:s.End])
			if n := utf8.RuneCountInString(text); n > 0 && n <= min(budget, longestListed) {
				budget -= n
				out = append(out, Sentence{Text: text, Hit: i})
				break
			}
		}
	}
	return out
}

// Around is what a hit says around what was found: some 3 KB of its text at most.
func (r *Results) Around(hit int) string {
	c := &r.found[hit]
	region := around(c.text, c.passage)
	return c.text[region.Start:region.End]
}

// sentences returns those around the passage of a hit.
func (r *Results) sentences(hit int, kind *questionKind) (out []Sentence) {
	c := &r.found[hit]
	region := around(c.text, c.passage)
	behind := 0.0
	for _, s := range analysis.Sentences(c.text) {
		if s.End <= region.Start || s.Start >= region.End {
			continue
		}
		text, units := c.text[s.Start:s.End], uint64(0)
		for _, o := range r.asked.occurrences(analysis.Analyze(text)) {
			units |= 1 << min(o.unit, 63)
		}
		words := r.asked.coverage(units)
		if s.Code && (kind == nil || kind.sign != "code") {
			words *= codeWorth
		}
		worth := kindWorth(text)
		out = append(out, Sentence{unmarked(text), hit, worth * c.worth(&r.found[0]) * (bareShare + max(words, behind))})
		if behind = words * behindOther; worth < 1 {
			behind = words * behindAsking
		}
	}
	return out
}

// worth is what the sentences of a hit count, beside those of the best one.
func (c *candidateHit) worth(best *candidateHit) float64 {
	x := c.hit.Score / max(best.hit.Score, 1e-9)
	if d := c.hit.Turn - best.hit.Turn; c.hit.ID == best.hit.ID && d != 0 && max(d, -d) <= nearTurns {
		x *= nearWorth
	}
	if c.hit.Role == process.RoleTool {
		x *= codeWorth
	}
	return x
}

// kindWorth is what a sentence counts by its words and signs.
func kindWorth(text string) float64 {
	switch {
	case endsWith(text, "?？؟"):
		return asksWorth
	case leads(text):
		return leadWorth
	case saysAny(plain(text), signs["plan"]):
		return planWorth
	}
	return 1
}

// leads reports whether a sentence announces what follows: a heading, or a colon at its end.
func leads(text string) bool {
	return endsWith(text, ":：") || strings.HasPrefix(text, "#") || strings.HasPrefix(text, "```")
}

func endsWith(text, signs string) bool {
	r, _ := utf8.DecodeLastRuneInString(strings.TrimRight(text, "\"'*_)»”’」』） "))
	return strings.ContainsRune(signs, r)
}

// unmarked is a sentence on one line, without the mark of a list or a heading.
func unmarked(text string) string {
	words := strings.Fields(text)
	for len(words) > 1 && (strings.Trim(words[0], "-*+•#>") == "" || strings.Trim(words[0], "0123456789") == ".") {
		words = words[1:]
	}
	return strings.Join(words, " ")
}
