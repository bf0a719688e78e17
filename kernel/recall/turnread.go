package recall

import (
	"strings"

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

// passageReader reads passages for one query.
type passageReader struct {
	weights
	forms map[string]bool // of the words of the query
}

func newPassageReader(asked *terms, idf []float64) *passageReader {
	r := &passageReader{weights: newWeights(*asked, idf), forms: map[string]bool{}}
	for _, w := range lowerWords(asked.text) {
		r.forms[w] = true
	}
	return r
}

func (r *passageReader) read(text string) reading {
	occ := r.terms.occurrences(analysis.Analyze(text))
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
		proximity: r.proximity(occ),
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

// passageText is the part of a turn that a row is of.
func passageText(content string, r *turnRow) string {
	span := r.span()
	return content[min(span.Start, len(content)):min(span.End, len(content))]
}
