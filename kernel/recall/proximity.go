package recall

import (
	"math"
	"math/bits"

	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
)

// proximityWindow is how far apart two words may stand, in words, and still
// belong together.
const proximityWindow = 3

// occurrence is a word of the query in a text.
type occurrence struct {
	pos, unit  int
	start, end int // bytes
}

// occurrences finds the words of the query in a text, by position.
func (q *terms) occurrences(text string) []occurrence { return q.among(analysis.Analyze(text)) }

// among finds the words of the query among the tokens of a text.
func (q *terms) among(tokens []analysis.Token) []occurrence {
	units := make(map[string]uint64, len(q.list))
	for _, t := range q.list {
		units[t.text] = t.units
	}
	var out []occurrence
	for _, t := range tokens {
		m, ok := units[t.Term]
		if !ok {
			continue
		}
		out = append(out, occurrence{t.Pos, bits.TrailingZeros64(m), t.Start, t.End})
		for m &= m - 1; m != 0; m &= m - 1 {
			out = append(out, occurrence{t.Pos, bits.TrailingZeros64(m), t.Start, t.End})
		}
	}
	return out
}

// proximity is that of the words of the query in a text.
func (r *ranking) proximity(text string) float64 {
	return r.pairs(r.terms.occurrences(text), proximityWindow)
}

// pairs sums over the pairs of different words of the query that stand near
// each other, each pair once at its nearest: the lesser weight of the two over
// the distance squared (Rasolofo and Savoy, ECIR 2003).
func (r *ranking) pairs(occ []occurrence, window int) float64 {
	n := len(r.weights)
	best := make([]float64, n*n) // by the lesser unit, then the other
	for i, a := range occ {
		for _, b := range occ[i+1:] {
			d := b.pos - a.pos
			if d > window {
				break
			}
			if a.unit == b.unit || max(a.unit, b.unit) >= n {
				continue
			}
			x := math.Min(r.weights[a.unit], r.weights[b.unit]) / float64(max(1, d*d))
			pair := &best[min(a.unit, b.unit)*n+max(a.unit, b.unit)]
			*pair = math.Max(*pair, x)
		}
	}
	sum := 0.0
	for _, x := range best {
		sum += x
	}
	return sum
}
