package recall

import (
	"cmp"
	"slices"
)

// Each batch becomes a segment, and a query looks each of its terms up in each
// segment. bleve merges the segments of an index on disk; those of an index in
// memory it leaves alone. So small ones are merged here, by indexing their
// documents again: scorch drops a segment without a live document.
const (
	maxSegments = 16   // of those that may be merged
	maxMerged   = 2048 // documents; a segment with as many stays as it is: searches wait for a merge
	minDead     = 64   // deleted documents that a segment may always carry
)

// compact merges segments when there are too many, or one is mostly deleted.
func (ix *scopeIndex) compact() error {
	merge := mergeable(ix.postings.segments)
	if len(merge) == 0 {
		return nil
	}
	var docs []*document
	seen := map[*document]bool{}
	for _, s := range merge {
		ix.postings.liveSlots(s.id, func(slot uint32) {
			if d := ix.slots[slot].doc; !seen[d] {
				seen[d] = true
				docs = append(docs, d)
			}
		})
	}
	b := newBatch()
	for i, passages := range analyzeAll(docs) {
		for k := range passages {
			b.put(docs[i].slots[k], &passages[k])
		}
	}
	return ix.postings.apply(b)
}

// mergeable returns the segments to merge: those that are mostly deleted, and
// when there are too many the smallest, and on while the next is not larger than
// all of them. Of 50,000 documents that come in batches of 256 each is merged once
// on the average, and of those that come one by one three times.
func mergeable(segments []segment) []segment {
	var merge []segment
	list := slices.Clone(segments)
	slices.SortFunc(list, func(a, b segment) int { return cmp.Compare(a.live, b.live) })
	few := slices.IndexFunc(list, func(s segment) bool { return s.live >= maxMerged })
	if few < 0 {
		few = len(list)
	}
	sum := 0
	for i, s := range list {
		small := few > maxSegments && i < few && sum < maxMerged && (i < maxSegments/2 || s.live <= sum)
		dead := s.size-s.live > max(minDead, s.live)
		if small || dead {
			merge = append(merge, s)
			sum += s.live
		}
	}
	return merge
}
