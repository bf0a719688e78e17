package recall

import (
	"context"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// FuzzSearch: no content and no query is an error, and a text that has a word
// finds itself.
func FuzzSearch(f *testing.F) {
	for _, s := range []string{"tea", "getUserName v1.2.3", "数据库", "a\x00b\xff", "don't", "(((", "C++ c#", "to be or not to be", "ー", "e\u0301", strings.Repeat("ab.", 30)} {
		f.Add(s, s)
		f.Add(s, "tea")
	}
	f.Fuzz(func(t *testing.T, content, query string) {
		e := newEngine(t)
		e.Opened(projectA, []*memory.Entry{entry("1", content, 1), entry("2", "tea", 2)})
		for _, text := range []string{query, content} {
			r, err := e.Search(context.Background(), Query{Text: text, Scopes: []memory.ScopeID{projectA}, Explain: true})
			if blank := strings.TrimSpace(text) == ""; blank != (err != nil) {
				t.Fatalf("search %q: %v", text, err)
			}
			for _, h := range r.Hits {
				checkSnippet(t, h.Entry.Content, h.Snippet, h.Marks)
				if !(h.Score > 0 && h.Score <= 1) {
					t.Errorf("score %v", h.Score)
				}
			}
			if text == content && err == nil && len(analyze(text).list) > 0 && r.Total == 0 {
				t.Errorf("%q does not find itself", content)
			}
		}
	})
}
