package recall

import (
	index "github.com/blevesearch/bleve_index_api"
)

// field is a field of a passage as bleve takes it: analysed already, indexed
// with frequencies, and not stored.
type field struct {
	name   string
	length int
	freqs  index.TokenFrequencies
}

var _ index.Field = (*field)(nil)

func newField(name string, terms map[string]int, length int) *field {
	backing := make([]index.TokenFreq, len(terms))
	freqs := make(index.TokenFrequencies, len(terms))
	i := 0
	for term, n := range terms {
		backing[i].Term = []byte(term)
		backing[i].SetFrequency(n)
		freqs[term] = &backing[i]
		i++
	}
	// Postings of a length of 0 are taken for ended ones (zapx, normBits1Hit).
	return &field{name: name, length: max(1, length), freqs: freqs}
}

func (f *field) Name() string                                     { return f.name }
func (f *field) Value() []byte                                    { return nil }
func (f *field) ArrayPositions() []uint64                         { return nil }
func (f *field) EncodedFieldType() byte                           { return 't' }
func (f *field) Analyze()                                         {}
func (f *field) Options() index.FieldIndexingOptions              { return index.IndexField }
func (f *field) AnalyzedLength() int                              { return f.length }
func (f *field) AnalyzedTokenFrequencies() index.TokenFrequencies { return f.freqs }
func (f *field) NumPlainTextBytes() uint64                        { return 0 }

// Size is for bleve's statistics, which nobody reads here.
func (f *field) Size() int { return len(f.freqs) * 64 }
