package postings

import (
	"testing"

	zap "github.com/blevesearch/zapx/v17"
	"pgregory.net/rapid"
)

// TestListsAsBleve: reading a list from end to end gives what bleve's own iterator
// does.
func TestListsAsBleve(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		opts := testOptions(t.TempDir())
		ix := mustOpen(rt, opts)
		defer func() { _ = ix.Close() }()
		for range rapid.IntRange(1, 40).Draw(rt, "n") {
			if _, err := ix.Append([]Document{document(rt, 0)}); err != nil {
				rt.Fatal(err)
			}
		}
		if err := ix.Flush(nil); err != nil {
			rt.Fatal(err)
		}
		for _, seg := range ix.now.files.segments {
			for field, name := range opts.Fields {
				for _, term := range vocabulary {
					compareLists(rt, seg, name, field, term)
				}
			}
		}
	})
}

func compareLists(t *rapid.T, seg *segment, name string, field int, term string) {
	dict, err := seg.zap.Dictionary(name)
	if err != nil {
		t.Fatal(err)
	}
	postings, err := dict.PostingsList([]byte(term), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var l zapList
	if _, err := l.open(seg.zap.Data(), seg.dicts[field], term); err != nil {
		t.Fatal(err)
	}
	for it := postings.Iterator(true, true, false, nil); ; {
		want, err := it.Next()
		if err != nil {
			t.Fatal(err)
		}
		doc, freq, length := make([]uint32, 1), make([]uint32, 1), make([]uint32, 1)
		if n := l.docs(doc); want == nil || n == 0 {
			if n != 0 || want != nil {
				t.Fatalf("%q ends at different documents", term)
			}
			return
		}
		if err := l.values(freq, length); err != nil {
			t.Fatal(err)
		}
		if uint64(doc[0]) != want.Number() || uint64(freq[0]) != want.Frequency() || uint64(length[0])+1 != want.(*zap.Posting).NormUint64() {
			t.Fatalf("%q: document %d, %d; bleve has %d, %d", term, doc[0], freq[0], want.Number(), want.Frequency())
		}
	}
}
