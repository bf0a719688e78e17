package postings

import (
	"maps"
	"slices"
)

// reader is what can be read of an index and of its model.
type reader interface {
	Docs() uint32
	Row(doc uint32) []byte
	Each(term string, field int, yield func(doc, freq, length uint32) bool) error
}

var (
	_ reader = (*Snapshot)(nil)
	_ reader = (*inMemory)(nil)
)

// inMemory is the plain index: maps and slices. It is the measure of what the
// real one must answer.
type inMemory struct {
	terms    []map[string][][3]uint32 // by field: document, frequency, length
	rows     [][]byte
	userData []byte
}

func newInMemory(opts Options) *inMemory {
	ix := &inMemory{}
	for range opts.Fields {
		ix.terms = append(ix.terms, map[string][][3]uint32{})
	}
	return ix
}

func (ix *inMemory) append(docs []Document) {
	for _, d := range docs {
		for f, terms := range d.Fields {
			for _, t := range terms {
				ix.terms[f][t.Text] = append(ix.terms[f][t.Text], [3]uint32{uint32(len(ix.rows)), t.Freq, min(d.Lengths[f], MaxLength)})
			}
		}
		ix.rows = append(ix.rows, d.Row)
	}
}

func (ix *inMemory) Docs() uint32          { return uint32(len(ix.rows)) }
func (ix *inMemory) Row(doc uint32) []byte { return ix.rows[doc] }

func (ix *inMemory) Each(term string, field int, yield func(doc, freq, length uint32) bool) error {
	for _, p := range ix.terms[field][term] {
		if !yield(p[0], p[1], p[2]) {
			break
		}
	}
	return nil
}

// clone is a copy to go on with.
func (ix *inMemory) clone() *inMemory {
	out := &inMemory{rows: slices.Clone(ix.rows), userData: slices.Clone(ix.userData)}
	for _, terms := range ix.terms {
		of := maps.Clone(terms)
		for term, list := range of {
			of[term] = slices.Clone(list)
		}
		out.terms = append(out.terms, of)
	}
	return out
}
