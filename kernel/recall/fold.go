package recall

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"
)

// Place is where else stands what a hit says: an entry, or a turn of a conversation.
type Place struct {
	Source Source
	ID     string
	Turn   int
}

const (
	maxAlso = 3 // places that a hit names
	// Turns of so many words are the same if they share four fifths of their runs of
	// three words, and the shorter one's numbers: what differs in one says another thing.
	minAlike    = 12
	shingle     = 3
	wholeBytes  = 400 // a longer turn is compared by its best passage
	foldRounds  = 3   // searches for one page, each for foldFactor times the hits
	foldFactor  = 4
	foldSpare   = 20
	fewestWords = 8 // a shorter passage is compared with the text around it
)

// folding joins hits that say the same, in the order in which they come.
type folding struct {
	kept  []candidateHit
	into  []int             // of kept: itself, or the one that it was joined with
	texts map[string]int    // by words
	turns map[[2]string]int // by uuid and id, also those that an entry was learned from
	runs  map[uint64][]int  // by shingle
	words [][]string        // of kept
	sizes []int             // shingles of kept
}

// fold joins what says the same: texts that differ in case, spacing and punctuation, turns
// that are nearly the same, and an entry with the turns that it was learned from. It
// returns the best of each, the entry where there is one, and how many were joined.
// Documents stay as they are.
func fold(found []candidateHit) ([]candidateHit, int) {
	f := &folding{texts: map[string]int{}, turns: map[[2]string]int{}, runs: map[uint64][]int{}}
	for i := range found {
		f.add(&found[i])
	}
	var kept []candidateHit
	for i := range f.kept {
		if f.into[i] == i {
			kept = append(kept, f.kept[i])
		}
	}
	return kept, len(found) - len(kept)
}

func (f *folding) add(c *candidateHit) {
	if c.hit.Source == SourceKnowledge {
		f.keep(c, nil, nil)
		return
	}
	words := wordsOf(c.unit())
	runs := shingles(words)
	text := strings.Join(words, " ")
	at, known := f.texts[text]
	if !known && c.hit.Entry == nil {
		if at, known = f.turns[[2]string{c.hit.ID, c.turnID}]; !known {
			at, known = f.near(words, runs)
		}
	}
	if !known {
		at = f.keep(c, words, runs)
		f.texts[text] = at
	} else {
		at = f.lead(at)
		f.join(at, c)
	}
	f.learned(at, c)
}

// learned notes which turns a hit stands for, and joins those that came before.
func (f *folding) learned(at int, c *candidateHit) {
	if c.hit.Entry == nil {
		f.turns[[2]string{c.hit.ID, c.turnID}] = at
		return
	}
	source := &c.hit.Entry.Source
	for _, turn := range source.Turns {
		key := [2]string{source.Process, turn}
		old, ok := f.turns[key]
		if old = f.lead(old); ok && old != at && f.kept[old].hit.Entry == nil {
			first, second := min(at, old), max(at, old)
			f.join(first, &f.kept[second])
			f.into[second] = first
			at = first
		}
		f.turns[key] = at
	}
}

func (f *folding) lead(at int) int {
	for f.into[at] != at {
		at = f.into[at]
	}
	return at
}

func (f *folding) keep(c *candidateHit, words []string, runs []uint64) int {
	at := len(f.kept)
	f.kept, f.into = append(f.kept, *c), append(f.into, at)
	f.words, f.sizes = append(f.words, words), append(f.sizes, len(runs))
	for _, r := range runs {
		f.runs[r] = append(f.runs[r], at)
	}
	return at
}

// join adds a hit to one that is kept. An entry leads turns, with the better score.
func (f *folding) join(at int, c *candidateHit) {
	lead, other := f.kept[at], *c
	if lead.hit.Entry == nil && other.hit.Entry != nil {
		lead, other = other, lead
		lead.hit.Score = max(lead.hit.Score, other.hit.Score)
	}
	h, o := &lead.hit, &other.hit
	h.Same += 1 + o.Same
	h.Also = append(append(slices.Clone(h.Also), Place{o.Source, o.ID, o.Turn}), o.Also...)
	h.Also = h.Also[:min(len(h.Also), maxAlso)]
	f.kept[at] = lead
}

// near returns the turn that nearly says the same.
func (f *folding) near(words []string, runs []uint64) (int, bool) {
	if len(words) < minAlike {
		return 0, false
	}
	shared := map[int]int{}
	for _, r := range runs {
		for _, at := range f.runs[r] {
			shared[at]++
		}
	}
	best, found := 0, false
	for at, n := range shared {
		short, long := min(len(runs), f.sizes[at]), max(len(runs), f.sizes[at])
		if n*5 < short*4 || short*2 < long || f.kept[at].hit.Entry != nil || found && best < at {
			continue
		}
		if fewer, more := f.words[at], words; len(fewer) <= len(more) && sameNumbers(fewer, more) || len(fewer) > len(more) && sameNumbers(more, fewer) {
			best, found = at, true
		}
	}
	return best, found
}

func sameNumbers(fewer, more []string) bool {
	for _, w := range fewer {
		if strings.ContainsFunc(w, unicode.IsDigit) && !slices.Contains(more, w) {
			return false
		}
	}
	return true
}

// unit is the text that hits are compared by.
func (c *candidateHit) unit() string {
	if c.hit.Entry != nil || len(c.text) <= wholeBytes {
		return c.text
	}
	p := c.text[min(c.passage.Start, len(c.text)):min(c.passage.End, len(c.text))]
	if len(strings.Fields(p)) < fewestWords {
		return c.text
	}
	return p
}

func wordsOf(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
}

var shingleSeed = maphash.MakeSeed()

// shingles are the different runs of three words, hashed.
func shingles(words []string) []uint64 {
	var out []uint64
	for i := 0; i+shingle <= len(words); i++ {
		out = append(out, maphash.String(shingleSeed, strings.Join(words[i:i+shingle], " ")))
	}
	slices.Sort(out)
	return slices.Compact(out)
}
