package postings

import (
	"maps"
	"slices"

	index "github.com/blevesearch/bleve_index_api"
	zap "github.com/blevesearch/zapx/v17"
)

// build makes a segment of bleve of a tail with n documents.
func (t *tail) build(names []string, n uint32) (built *zap.SegmentBase, err error) {
	fields := make([]*sourceField, len(names))
	for f, name := range names {
		fields[f] = newSourceField(name, t.fields[f], n)
	}
	docs := make([]index.Document, n)
	for i := range docs {
		docs[i] = &sourceDocument{number: i, fields: fields}
	}
	err = guard(func() error {
		made, _, err := plugin.New(docs)
		if err == nil {
			built = made.(*zap.SegmentBase)
		}
		return err
	})
	return built, err
}

// sourceField is a field of all documents on their way into a segment.
type sourceField struct {
	name    string
	terms   []string
	docs    [][]sourcePosting
	lengths []uint32 // by document

	freqs  index.TokenFrequencies // of one document at a time, reused
	tokens []index.TokenFreq
}

type sourcePosting struct{ term, freq uint32 }

// newSourceField turns lists by term into terms by document.
func newSourceField(name string, lists map[string]*list, docs uint32) *sourceField {
	out := &sourceField{
		name: name, terms: slices.Collect(maps.Keys(lists)),
		docs: make([][]sourcePosting, docs), lengths: make([]uint32, docs),
		freqs: index.TokenFrequencies{},
	}
	for i, term := range out.terms {
		r := listReader{data: lists[term].data}
		for r.read() {
			out.docs[r.at] = append(out.docs[r.at], sourcePosting{uint32(i), r.freq})
			out.lengths[r.at] = r.length
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
		t := &f.tokens[i]
		*t = index.TokenFreq{}
		t.SetFrequency(int(p.freq))
		f.freqs[f.terms[p.term]] = t
	}
	return f.freqs
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
		visit(&fieldView{name: f.name, options: index.IndexField, source: f, doc: d.number})
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

// AnalyzedLength becomes the norm of each posting. A norm of 0 would be taken for
// an ended list (zapx, normBits1Hit), so it is the length and one more.
func (v *fieldView) AnalyzedLength() int {
	if v.source == nil {
		return 1
	}
	return int(v.source.lengths[v.doc]) + 1
}

func (v *fieldView) Name() string                        { return v.name }
func (v *fieldView) Value() []byte                       { return nil }
func (v *fieldView) ArrayPositions() []uint64            { return nil }
func (v *fieldView) EncodedFieldType() byte              { return 't' }
func (v *fieldView) Analyze()                            {}
func (v *fieldView) Options() index.FieldIndexingOptions { return v.options }
func (v *fieldView) NumPlainTextBytes() uint64           { return 0 }
