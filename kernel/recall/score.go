package recall

import (
	"context"
	"math"

	index "github.com/blevesearch/bleve_index_api"
)

// The text score of a passage is BM25F (Zaragoza and others, TREC 2004): the
// frequencies of a term in the fields are normalised by length, weighted and
// summed before they saturate, so that a word in content and key counts little
// more than once. Document frequencies and mean lengths are those of all scopes
// searched together, which makes the scores of different scopes comparable.
const (
	saturation = 0.9 // k1
	lengthNorm = 0.5 // b
)

// fieldWeights are those of content, key, tags. A derived key repeats the
// content, and a tag is often a whole topic.
var fieldWeights = [fieldCount]float64{1, 0.4, 0.6}

// scorer scores the passages of several indexes, term by term.
type scorer struct {
	indexes []*scopeIndex
	total   float64             // passages
	mean    [fieldCount]float64 // lengths
	shards  []shard
	ideal   float64      // Σ of what each term can add at most
	weights []float64    // by term of the query: its idf
	terms   []termScores // for an explanation; nil when none is wanted
}

// shard is the state of the scoring of one index, by slot.
type shard struct {
	score   []float64
	units   []uint64
	touched []uint32 // slots that have a term
	// Of the term that is being scored:
	freq []float64
	hits []uint32
}

// termScores is what one term added, by index and slot.
type termScores []map[uint32]float64

func newScorer(indexes []*scopeIndex, explain bool) *scorer {
	s := &scorer{indexes: indexes, shards: make([]shard, len(indexes))}
	if explain {
		s.terms = []termScores{}
	}
	for i, ix := range indexes {
		n := len(ix.slots)
		s.shards[i] = shard{score: make([]float64, n), units: make([]uint64, n), freq: make([]float64, n)}
		s.total += float64(ix.size())
		for f, length := range ix.total {
			s.mean[f] += float64(length)
		}
	}
	for f := range s.mean {
		s.mean[f] = math.Max(1, s.mean[f]/math.Max(1, s.total))
	}
	return s
}

// run scores all terms of a query.
func (s *scorer) run(ctx context.Context, q terms) error {
	for _, t := range q.list {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := s.term(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// term adds what one term is worth to each passage that has it.
func (s *scorer) term(ctx context.Context, t term) error {
	found := 0
	for i := range s.indexes {
		if err := s.frequencies(ctx, i, t.text); err != nil {
			return err
		}
		found += len(s.shards[i].hits)
	}
	weight := math.Log(1 + (s.total-float64(found)+0.5)/(float64(found)+0.5))
	if t.unit < 0 && found == 0 {
		weight = 0 // it is written otherwise here, if at all: its parts speak for it
	}
	s.weights = append(s.weights, weight)
	s.ideal += weight
	var scores termScores
	if s.terms != nil {
		scores = make(termScores, len(s.shards))
	}
	for i := range s.shards {
		scores.put(i, s.shards[i].add(weight, t.units, scores != nil))
	}
	if scores != nil {
		s.terms = append(s.terms, scores)
	}
	return nil
}

func (ts termScores) put(i int, m map[uint32]float64) {
	if ts != nil {
		ts[i] = m
	}
}

// add moves the frequencies of a term into the scores.
func (sh *shard) add(weight float64, units uint64, explain bool) map[uint32]float64 {
	var added map[uint32]float64
	if explain {
		added = make(map[uint32]float64, len(sh.hits))
	}
	for _, slot := range sh.hits {
		if sh.score[slot] == 0 && sh.units[slot] == 0 {
			sh.touched = append(sh.touched, slot)
		}
		tf := sh.freq[slot]
		sh.freq[slot] = 0
		x := weight * tf / (saturation + tf)
		sh.score[slot] += x
		sh.units[slot] |= units
		if explain {
			added[slot] = x
		}
	}
	sh.hits = sh.hits[:0]
	return added
}

// frequencies reads the postings of a term in all fields of one index.
func (s *scorer) frequencies(ctx context.Context, i int, text string) error {
	ix, sh := s.indexes[i], &s.shards[i]
	if ix.postings == nil || ix.postings.reader == nil {
		return nil
	}
	for f, name := range fieldNames {
		weight, mean := fieldWeights[f], s.mean[f]
		err := ix.postings.read(ctx, text, name, func(slot uint32, freq uint64) {
			length := float64(ix.slots[slot].lengths[f])
			if sh.freq[slot] == 0 {
				sh.hits = append(sh.hits, slot)
			}
			sh.freq[slot] += weight * float64(freq) / (1 - lengthNorm + lengthNorm*length/mean)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// read calls yield with each slot that has the term in the field.
func (p *entryPostings) read(ctx context.Context, text, field string, yield func(slot uint32, freq uint64)) error {
	r, err := p.reader.TermFieldReader(ctx, []byte(text), field, true, false, false)
	if err != nil {
		return err
	}
	defer func() { _ = r.Close() }()
	var doc index.TermFieldDoc
	at, offset := 0, uint64(0) // the segment, and its first document
	for {
		next, err := r.Next(&doc)
		if err != nil || next == nil {
			return err
		}
		number := next.ID.Value()
		for number-offset >= uint64(p.segments[at].size) {
			offset += uint64(p.segments[at].size)
			at++
		}
		yield(p.segments[at].slots[number-offset], next.Freq)
	}
}
