package recall

import (
	"strings"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// reading is what only the text of a passage tells, in parts of the weight of
// the query.
type reading struct {
	proximity float64
	exact     float64 // words in the form that was asked for
	asked     float64 // words that stand only in sentences that ask
	told      kinds
}

// reader reads passages for one query.
type reader struct {
	ranking
	window int
	forms  map[string]bool // of the words of the query
}

func (s *turnSearch) reader() *reader {
	r := &reader{ranking: ranking{terms: *s.asked, weights: make([]float64, s.asked.units)}, window: s.tuning.window, forms: map[string]bool{}}
	for i, t := range s.asked.list {
		if t.unit >= 0 {
			r.weights[t.unit] = s.idf[i]
			r.sum += s.idf[i]
		}
	}
	for _, w := range lowerWords(s.asked.text) {
		r.forms[w] = true
	}
	return r
}

func (r *reader) read(text string) reading {
	tokens := analysis.Analyze(text)
	occ := r.terms.among(tokens)
	name := speakerEnd(text)
	var exact, asked, stated uint64
	for _, o := range occ {
		if o.unit >= maxUnits || o.end <= name {
			continue
		}
		bit := uint64(1) << o.unit
		if r.forms[strings.ToLower(text[o.start:o.end])] {
			exact |= bit
		}
		if asks(text[o.end:]) {
			asked |= bit
		} else {
			stated |= bit
		}
	}
	return reading{
		proximity: r.pairs(occ, r.window),
		exact:     r.coverage(exact),
		asked:     r.coverage(asked &^ stated),
		told:      told(text),
	}
}

// asks reports whether the sentence that goes on in rest ends as a question.
func asks(rest string) bool {
	for i, r := range rest {
		switch r {
		case '?', '？', '؟':
			return true
		case '!', '。', '！', '\n':
			return false
		case '.':
			if i+1 == len(rest) || rest[i+1] == ' ' || rest[i+1] == '\n' {
				return false
			}
		}
	}
	return false
}

// passageText is the part of a turn that a row is of. What is no UTF-8 there is
// blanked, such that offsets stay.
func passageText(content string, r *turnRow) string {
	from, to := min(int(r.start), len(content)), min(int(r.start)+int(r.length), len(content))
	text := content[from:to]
	if utf8.ValidString(text) {
		return text
	}
	return strings.ToValidUTF8(text, " ")
}
