package postings

import (
	"encoding/binary"
	"maps"
	"slices"

	index "github.com/blevesearch/bleve_index_api"
	zap "github.com/blevesearch/zapx/v17"
)

// build makes a segment of bleve of the slots [base, base+span) of a tail, less
// the deleted ones, whose slots less the base are the gaps. A nil segment has no
// document.
func (t *tail) build(span uint32, rows []byte, dead *deadSet) (built *zap.SegmentBase, gaps []byte, docs int, err error) {
	numbers := make([]uint32, span) // of the documents, by slot
	records := make([][]byte, 0, span)
	size := t.opts.recordSize()
	for i := range numbers {
		if dead.has(t.base + uint32(i)) {
			gaps = binary.LittleEndian.AppendUint32(gaps, uint32(i))
			continue
		}
		numbers[i] = uint32(docs)
		records = append(records, rows[i*size:(i+1)*size])
		docs++
	}
	if docs == 0 {
		return nil, gaps, 0, nil
	}
	fields := make([]*sourceField, len(t.opts.Fields))
	for f, name := range t.opts.Fields {
		fields[f] = t.source(f, name, numbers, docs, dead)
		fields[f].length = func(doc int) uint32 { return t.opts.length(records[doc], f) }
	}
	err = guard(func() error {
		made, _, err := plugin.New(sources(fields, docs))
		if err == nil {
			built = made.(*zap.SegmentBase)
		}
		return err
	})
	return built, gaps, docs, err
}

// sourceField is a field of all documents on their way into a segment.
type sourceField struct {
	name  string
	bare  bool
	terms []string
	docs  [][]sourcePosting
	apart map[[2]uint32][]uint32 // positions that are not packed, by document and term

	length func(doc int) uint32
	freqs  index.TokenFrequencies // of one document at a time, reused
	tokens []index.TokenFreq
}

type sourcePosting struct {
	term uint32
	v    uint64
}

// source turns lists by term into terms by document.
func (t *tail) source(field int, name string, numbers []uint32, docs int, dead *deadSet) *sourceField {
	out := &sourceField{
		name: name, bare: t.opts.bare(field),
		terms: slices.Collect(maps.Keys(t.fields[field])),
		docs:  make([][]sourcePosting, docs),
		apart: map[[2]uint32][]uint32{},
		freqs: index.TokenFrequencies{},
	}
	for i, term := range out.terms {
		r := listReader{data: t.fields[field][term].data, bare: out.bare}
		for r.read() {
			if dead.has(t.base + r.at) {
				continue
			}
			doc := numbers[r.at]
			out.docs[doc] = append(out.docs[doc], sourcePosting{uint32(i), r.v})
			if !out.bare && r.v&7 == 0 {
				out.apart[[2]uint32{doc, uint32(i)}] = r.positions(nil)
			}
		}
	}
	return out
}

// at fills freqs with the terms of a document. bleve reads them before it asks for
// those of the next one.
func (f *sourceField) at(doc int) index.TokenFrequencies {
	clear(f.freqs)
	postings := f.docs[doc]
	if len(f.tokens) < len(postings) {
		f.tokens = make([]index.TokenFreq, 2*len(postings))
	}
	for i, p := range postings {
		term := f.terms[p.term]
		t := &f.tokens[i]
		*t = index.TokenFreq{}
		t.SetFrequency(int(p.v))
		if !f.bare && p.v&7 == 0 {
			for _, at := range f.apart[[2]uint32{uint32(doc), p.term}] {
				t.Locations = append(t.Locations, &index.TokenLocation{Position: int(at)})
			}
		}
		f.freqs[term] = t
	}
	return f.freqs
}

func sources(fields []*sourceField, docs int) []index.Document {
	out := make([]index.Document, docs)
	for i := range out {
		out[i] = &sourceDocument{number: i, fields: fields}
	}
	return out
}

// sourceDocument is a document as bleve's segment builder takes it: analysed
// already, nothing stored.
type sourceDocument struct {
	number int
	fields []*sourceField
}

var _ index.Document = (*sourceDocument)(nil)

// idField must be the first field of every document, and stored (zapx,
// writeStoredFields). Documents are known by their number, so it is empty.
var idField = &fieldView{name: "_id", options: index.IndexField | index.StoreField}

func (d *sourceDocument) VisitFields(visit index.FieldVisitor) {
	visit(idField)
	for _, f := range d.fields {
		options := index.IndexField
		if !f.bare {
			options |= index.IncludeTermVectors
		}
		visit(&fieldView{name: f.name, options: options, source: f, doc: d.number})
	}
}

func (d *sourceDocument) ID() string                                   { return "" }
func (d *sourceDocument) Size() int                                    { return 0 }
func (d *sourceDocument) VisitComposite(_ index.CompositeFieldVisitor) {}
func (d *sourceDocument) HasComposite() bool                           { return false }
func (d *sourceDocument) NumPlainTextBytes() uint64                    { return 0 }
func (d *sourceDocument) AddIDField()                                  {}
func (d *sourceDocument) StoredFieldsBytes() uint64                    { return 0 }
func (d *sourceDocument) Indexed() bool                                { return true }

// fieldView is a field of one document.
type fieldView struct {
	name    string
	options index.FieldIndexingOptions
	source  *sourceField
	doc     int
}

var _ index.Field = (*fieldView)(nil)

func (v *fieldView) AnalyzedTokenFrequencies() index.TokenFrequencies {
	if v.source == nil {
		return nil
	}
	return v.source.at(v.doc)
}

// AnalyzedLength becomes the norm of each posting.
func (v *fieldView) AnalyzedLength() int {
	if v.source == nil {
		return 1
	}
	return int(normOf(v.source.length(v.doc)))
}

func (v *fieldView) Name() string                        { return v.name }
func (v *fieldView) Value() []byte                       { return nil }
func (v *fieldView) ArrayPositions() []uint64            { return nil }
func (v *fieldView) EncodedFieldType() byte              { return 't' }
func (v *fieldView) Analyze()                            {}
func (v *fieldView) Options() index.FieldIndexingOptions { return v.options }
func (v *fieldView) NumPlainTextBytes() uint64           { return 0 }
