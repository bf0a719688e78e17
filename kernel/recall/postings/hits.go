package postings

import (
	"fmt"
	"sync"
)

// batchHits is how many postings are decoded at a time: so many that guarding
// the decoder against damage costs nothing, so few that they stay in the cache.
const batchHits = 256

// hits is a batch of postings.
type hits struct {
	n         int
	slots     [batchHits]uint32
	freqs     [batchHits]uint32
	ends      [batchHits]uint32 // of the positions of each
	norms     [batchHits]uint32 // lengths as norms; of segments only
	positions []uint32
}

var hitsPool = sync.Pool{New: func() any { return &hits{} }}

// cursor decodes the postings of one term, ascending.
type cursor interface {
	// next fills h, with nothing at the end.
	next(h *hits) error
}

// A length is kept as the norm of bleve's postings, plus one: a norm of 0 would be
// taken for an ended list (zapx, normBits1Hit). One that is too long stands in the
// row only.
const longNorm = 1 << 20

func normOf(length uint32) uint32 { return min(length, longNorm-1) + 1 }

// yieldLengths passes a batch on and reports whether to go on.
func (h *hits) yieldLengths(s *state, field int, yield func(slot, freq, length uint32) bool) bool {
	for i := range h.n {
		slot := h.slots[i]
		if s.dead.has(slot) {
			continue
		}
		length := h.norms[i] - 1
		if slot >= s.files.slots || length >= longNorm-1 {
			length = s.Length(slot, field)
		}
		if !yield(slot, h.freqs[i], length) {
			return false
		}
	}
	return true
}

// yieldTo passes a batch on and reports whether to go on.
func (h *hits) yieldTo(dead *deadSet, positions bool, yield func(slot, freq uint32, positions []uint32) bool) bool {
	from := uint32(0)
	for i := range h.n {
		var at []uint32
		if positions {
			at = h.positions[from:h.ends[i]:h.ends[i]]
			from = h.ends[i]
		}
		if dead.has(h.slots[i]) {
			continue
		}
		if !yield(h.slots[i], h.freqs[i], at) {
			return false
		}
	}
	return true
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrCorrupt, fmt.Sprintf(format, args...))
}
