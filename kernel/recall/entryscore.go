package recall

import (
	"context"
	"math"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// The text score of an entry's passage is BM25F (Zaragoza and others, TREC 2004):
// the frequencies of a term in the fields are normalised by length, weighted and
// summed before they saturate, so that a word in content and key counts little
// more than once. Document frequencies and mean lengths are those of all scopes
// searched together, which makes the scores of different scopes comparable.
const (
	saturation = 0.9 // k1
	lengthNorm = 0.5 // b
)

// fieldWeights are those of content, key, tags, and category and metadata. A derived key
// repeats the content, and a tag is often a whole topic.
var fieldWeights = [fieldCount]float64{1, 0.4, 0.6, 0.4}

// entryScorer scores the passages of several indexes, which are locked, term by
// term.
type entryScorer struct {
	shards []entryShard
	total  float64             // passages
	mean   [fieldCount]float64 // lengths
	ideal  float64             // Σ of what each term can add at most
	idf    []float64           // by term of the query
}

// entryShard is the state of the scoring of one index, by passage.
type entryShard struct {
	*scopeIndex
	lifetimes memory.Lifetimes
	snap      *postings.Snapshot
	score     []float64
	units     []uint64 // words of the query
	touched   []uint32 // passages that have a term
	// Of the term that is being scored:
	freq []float64
	hits []uint32
}

// newEntryScorer must be closed.
func newEntryScorer(indexes []*scopeIndex, lifetimes func(memory.ScopeID) memory.Lifetimes) *entryScorer {
	s := &entryScorer{}
	for _, ix := range indexes {
		if ix.postings == nil {
			continue
		}
		n := len(ix.passages)
		s.shards = append(s.shards, entryShard{
			scopeIndex: ix, snap: ix.postings.Snapshot(), lifetimes: lifetimes(ix.id),
			score: make([]float64, n), units: make([]uint64, n), freq: make([]float64, n),
		})
		s.total += float64(ix.live)
		for f, length := range ix.total {
			s.mean[f] += float64(length)
		}
	}
	for f := range s.mean {
		s.mean[f] = math.Max(1, s.mean[f]/math.Max(1, s.total))
	}
	return s
}

func (s *entryScorer) close() {
	for i := range s.shards {
		s.shards[i].snap.Close()
	}
}

// run scores all terms of a query.
func (s *entryScorer) run(ctx context.Context, q terms) error {
	for _, t := range q.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		found := 0
		for i := range s.shards {
			if err := s.shards[i].read(t.text, &s.mean); err != nil {
				return err
			}
			found += len(s.shards[i].hits)
		}
		if found > 0 {
			q.hold(&t)
		}
		weight := t.weight(s.total, found)
		s.idf = append(s.idf, weight)
		s.ideal += weight
		for i := range s.shards {
			s.shards[i].add(weight, t.units)
		}
	}
	return nil
}

// read takes the frequencies of a term in all fields.
func (sh *entryShard) read(text string, mean *[fieldCount]float64) error {
	for f, weight := range fieldWeights {
		err := sh.snap.Each(text, f, func(n, freq, length uint32) bool {
			if sh.passages[n].doc == nil {
				return true
			}
			if sh.freq[n] == 0 {
				sh.hits = append(sh.hits, n)
			}
			sh.freq[n] += weight * float64(freq) / (1 - lengthNorm + lengthNorm*float64(length)/mean[f])
			return true
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// add moves the frequencies of a term into the scores.
func (sh *entryShard) add(weight float64, units uint64) {
	for _, n := range sh.hits {
		if sh.score[n] == 0 && sh.units[n] == 0 {
			sh.touched = append(sh.touched, n)
		}
		sh.score[n] += saturated(weight, sh.freq[n])
		sh.units[n] |= units
		sh.freq[n] = 0
	}
	sh.hits = sh.hits[:0]
}

// saturated is what a term adds to a passage.
func saturated(weight, tf float64) float64 { return weight * tf / (saturation + tf) }

// explain says what each term added to a passage.
func (s *entryScorer) explain(q terms, shard int, passage uint32) ([]TermScore, error) {
	sh := &s.shards[shard]
	var list []TermScore
	for i, t := range q.list {
		if err := sh.read(t.text, &s.mean); err != nil {
			return nil, err
		}
		list = append(list, TermScore{t.text, s.idf[i], saturated(s.idf[i], sh.freq[passage])})
		sh.add(0, 0)
	}
	return list, nil
}
