package recall

import "math"

// weights are those of the words of a query: how rare each is.
type weights struct {
	terms terms
	units []float64 // by the word's number
	sum   float64
}

// newWeights takes the weight of each term of a query, and notes those of its words in it.
func newWeights(q terms, idf []float64) weights {
	w := weights{terms: q, units: make([]float64, q.units)}
	for i, t := range q.list {
		if t.unit >= 0 {
			w.units[t.unit] = idf[i]
			q.weights[t.unit] = max(q.weights[t.unit], idf[i])
			w.sum += idf[i]
		}
	}
	return w
}

// coverage is the share of the query's words that are covered, by weight.
func (w *weights) coverage(units uint64) float64 {
	if w.sum == 0 {
		return 0
	}
	x := 0.0
	for u, weight := range w.units {
		if units&(1<<u) != 0 {
			x += weight
		}
	}
	return x / w.sum
}

// rare returns the words of the query that few of so many documents have, as bits.
func (w *weights) rare(documents float64) (units uint64) {
	least := math.Min(rareWeight, inverse(documents, 3))
	for u, weight := range w.units {
		if weight >= least {
			units |= 1 << u
		}
	}
	return units
}

// proximityWindow is how far apart two words may stand, in words, and still
// belong together.
const proximityWindow = 3

// proximity sums over the pairs of different words of the query that stand near
// each other, each pair once at its nearest: the lesser weight of the two over
// the distance squared (Rasolofo and Savoy, ECIR 2003).
func (w *weights) proximity(occ []occurrence) float64 {
	n := len(w.units)
	best := make([]float64, n*n) // by the lesser unit, then the other
	for i, a := range occ {
		for _, b := range occ[i+1:] {
			d := b.pos - a.pos
			if d > proximityWindow {
				break
			}
			if a.unit == b.unit || max(a.unit, b.unit) >= n {
				continue
			}
			x := math.Min(w.units[a.unit], w.units[b.unit]) / float64(max(1, d*d))
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

// inverse is how much a term says that n of the documents have.
func inverse(documents float64, n int) float64 {
	return math.Log(1 + math.Max(0, documents-float64(n)+0.5)/(float64(n)+0.5))
}

// termWeight is the weight of a term of a query. A compound that no document has
// is written otherwise there, if at all: its parts speak for it.
func (t *term) weight(documents float64, n int) float64 {
	if t.unit < 0 && n == 0 {
		return 0
	}
	return inverse(documents, n)
}
