package recall

import "testing"

// TestMergesAreBounded: a merge never holds searches up for long, documents are
// merged a few times only, and segments stay few.
func TestMergesAreBounded(t *testing.T) {
	for _, c := range []struct {
		documents, batch int
		merged           float64 // times that a document may be merged on the average
	}{{50_000, 256, 1.2}, {10_000, 10, 3}, {3_000, 1, 4}, {20_000, 5_000, 0}} {
		var segments []segment
		var id uint64
		merged := 0
		put := func(n int) {
			id++
			segments = append(segments, segment{id: id, size: n, live: n})
		}
		for range c.documents / c.batch {
			put(c.batch)
			gone := map[uint64]bool{}
			sum := 0
			for _, s := range mergeable(segments) {
				gone[s.id] = true
				sum += s.live
			}
			if sum == 0 {
				continue
			}
			if sum > 2*maxMerged {
				t.Fatalf("%d documents in batches of %d: %d are merged at once", c.documents, c.batch, sum)
			}
			merged += sum
			kept := segments[:0]
			for _, s := range segments {
				if !gone[s.id] {
					kept = append(kept, s)
				}
			}
			segments = kept
			put(sum)
		}
		if times := float64(merged) / float64(c.documents); times > c.merged {
			t.Errorf("%d documents in batches of %d: each is merged %.1f times", c.documents, c.batch, times)
		}
		if n := len(segments); n > maxSegments+2*c.documents/maxMerged {
			t.Errorf("%d documents in batches of %d: %d segments", c.documents, c.batch, n)
		}
	}
}
