package postings

import "sync"

// batchHits is how many postings are decoded at a time: so many that guarding
// the decoder against damage costs nothing, so few that they stay in the cache.
const batchHits = 256

// hits is a batch of postings.
type hits struct {
	n       int
	docs    [batchHits]uint32
	freqs   [batchHits]uint32
	lengths [batchHits]uint32 // of the field in the document
}

var hitsPool = sync.Pool{New: func() any { return &hits{} }}

// each passes all postings of a cursor on, until yield returns false.
func (h *hits) each(c *segmentCursor, yield func(doc, freq, length uint32) bool) (more bool, err error) {
	for {
		if err := c.next(h); err != nil || h.n == 0 {
			return true, err
		}
		for i := range h.n {
			if !yield(h.docs[i], h.freqs[i], h.lengths[i]) {
				return false, nil
			}
		}
	}
}
