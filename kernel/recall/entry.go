package recall

import (
	"maps"
	"slices"
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
	fieldAbout // category, and the texts of the metadata
	fieldCount
)

var fieldNames = [fieldCount]string{"text", "key", "tags", "about"}

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
		texts:   [fieldCount]string{e.Content, key, strings.Join(e.Tags, " \n "), about(e)},
		updated: updated,
	}
}

// about is the category and the texts of the metadata, but for the time at which the
// entry was said.
func about(e *memory.Entry) string {
	list := []string{e.Category}
	var gather func(v any)
	gather = func(v any) {
		switch v := v.(type) {
		case string:
			list = append(list, v)
		case []any:
			for _, x := range v {
				gather(x)
			}
		case map[string]any:
			for _, name := range slices.Sorted(maps.Keys(v)) {
				if name != memory.SaidKey {
					gather(v[name])
				}
			}
		}
	}
	gather(e.Metadata)
	return strings.Join(list, " \n ")
}

// entryPassage is a passage of an entry. It has the entry's key, tags and metadata.
type entryPassage struct {
	Span
	doc     *document // nil: the entry was removed or replaced
	lengths [fieldCount]uint32
}

// analyze cuts an entry into passages and makes their documents for the index.
func (d *document) analyze() ([]entryPassage, []postings.Document) {
	key, keyWords := countTerms(analysis.Analyze(d.texts[fieldKey]), isContent)
	tags, tagWords := countTerms(analysis.Analyze(d.texts[fieldTags]), isContent)
	about, aboutWords := countTerms(analysis.Analyze(d.texts[fieldAbout]), isContent)
	list := passages(d.texts[fieldText])
	cut, docs := make([]entryPassage, len(list)), make([]postings.Document, len(list))
	for i, p := range list {
		terms, words := countTerms(p.tokens, isContent)
		cut[i] = entryPassage{p.Span, d, [fieldCount]uint32{words, keyWords, tagWords, aboutWords}}
		docs[i] = postings.Document{Fields: [][]postings.Term{terms, key, tags, about}, Lengths: cut[i].lengths[:]}
	}
	return cut, docs
}

// isContent reports whether a token counts to the length of an entry's field.
func isContent(t *analysis.Token) bool { return t.Kind == analysis.Word && !t.Stop }
