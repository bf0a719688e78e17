package recall

import (
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall/analysis"
	"github.com/rnixfs/rnixfs/kernel/recall/postings"
)

// The fields of an entry's passage, by their number.
const (
	fieldText = iota
	fieldKey
	fieldTags
	fieldCount
)

var fieldNames = [fieldCount]string{"text", "key", "tags"}

// document is an entry as it is indexed.
type document struct {
	entry    *memory.Entry
	texts    [fieldCount]string
	updated  time.Time
	passages []uint32 // their numbers in the index, in order
}

func newDocument(e *memory.Entry) *document {
	updated := e.Updated
	if updated.IsZero() {
		updated = e.Created
	}
	key := e.Key
	if e.KeyStale { // its words are those of a text that is gone
		key = ""
	}
	return &document{
		entry:   e,
		texts:   [fieldCount]string{e.Content, key, strings.Join(e.Tags, " \n ")},
		updated: updated,
	}
}

// entryPassage is a passage of an entry. It has the entry's key and tags.
type entryPassage struct {
	Span
	doc     *document // nil: the entry was removed or replaced
	lengths [fieldCount]uint32
}

// analyze cuts an entry into passages and makes their documents for the index.
func (d *document) analyze() ([]entryPassage, []postings.Document) {
	key, keyWords := countTerms(analysis.Analyze(d.texts[fieldKey]), isContent)
	tags, tagWords := countTerms(analysis.Analyze(d.texts[fieldTags]), isContent)
	list := passages(d.texts[fieldText])
	cut, docs := make([]entryPassage, len(list)), make([]postings.Document, len(list))
	for i, p := range list {
		terms, words := countTerms(p.tokens, isContent)
		cut[i] = entryPassage{p.Span, d, [fieldCount]uint32{words, keyWords, tagWords}}
		docs[i] = postings.Document{Fields: [][]postings.Term{terms, key, tags}, Lengths: cut[i].lengths[:]}
	}
	return cut, docs
}

// isContent reports whether a token counts to the length of an entry's field.
func isContent(t *analysis.Token) bool { return t.Kind == analysis.Word && !t.Stop }
