package recall

import "github.com/rnixfs/rnixfs/kernel/recall/analysis"

// asked returns the share of the query's words, by weight, that stand in the text
// only in sentences that ask.
func (w *weights) asked(text string) float64 {
	name := speakerEnd(text)
	var asked, stated uint64
	for _, o := range w.terms.occurrences(analysis.Analyze(text)) {
		switch {
		case o.unit >= maxUnits || o.end <= name:
		case asks(text[o.end:]):
			asked |= 1 << o.unit
		default:
			stated |= 1 << o.unit
		}
	}
	return w.coverage(asked &^ stated)
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
