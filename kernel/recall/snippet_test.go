package recall

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func firstHit(t *testing.T, content, query string) Hit {
	t.Helper()
	e := newEngine(t)
	e.Opened(projectA, entries(content))
	r, err := e.Search(context.Background(), Query{Text: query, Scopes: []memory.ScopeID{projectA}})
	if err != nil || len(r.Hits) != 1 {
		t.Fatalf("search: %v, %d hits", err, len(r.Hits))
	}
	return r.Hits[0]
}

// A short text is its own snippet, verbatim.
func TestSnippetWhole(t *testing.T) {
	tests := []struct{ content, query, want string }{
		{"hello-memory test knowledge about caching strategies", "caching strategies", "hello-memory test knowledge about [caching] [strategies]"},
		{"We cached\n- twice.", "cache twice", "We [cached]\n- [twice]."},
		{"call getUserName now", "user", "call getUserName now"},
		{"run `the tests` of tests, then test-run it in ./tests or tests.go.", "tests", "run `the tests` of [tests], then test-run it in ./tests or tests.go."},
		{"The tests:\n```\nmake tests\n```\nnpm run tests --watch\nThe tests pass.", "tests", "The [tests]:\n```\nmake tests\n```\nnpm run tests --watch\nThe [tests] pass."},
		{"call getUserName now", "getUserName", "call [getUserName] now"},
		{"a mocksessionDB, see src/session.ts, my_session, ./session", "session", "a mocksessionDB, see src/session.ts, my_session, ./session"},
		{"`x` (session).", "session", "`x` ([session])."},
		{"数据session库", "session", "数据[session]库"},
		{"数据库迁移", "数据库", "[数据库]迁移"},
		{"at the Café!", "cafe", "at the [Café]!"},
		{"ｶﾞｯﾂ", "ガッツ", "[ｶﾞｯﾂ]"},
	}
	for _, tt := range tests {
		h := firstHit(t, tt.content, tt.query)
		if h.Snippet != tt.content {
			t.Errorf("snippet of %q: %q", tt.content, h.Snippet)
		}
		if diff := cmp.Diff(tt.want, marked(&h)); diff != "" {
			t.Errorf("marks of %q (-want +got):\n%s", tt.query, diff)
		}
	}
}

func TestSnippetOfLongText(t *testing.T) {
	filler := strings.Repeat("One sentence of the text says nothing at all. ", 40)
	content := filler + "The certificates of the gateway are renewed by certbot every Sunday. " + filler
	h := firstHit(t, content, "when are gateway certificates renewed")
	want := "The [certificates] of the [gateway] are [renewed] by certbot every Sunday."
	if !strings.Contains(marked(&h), want) {
		t.Errorf("snippet %q", marked(&h))
	}
	if n := utf8.RuneCountInString(h.Snippet); n > SnippetRunes || n < SnippetRunes/2 {
		t.Errorf("snippet of %d runes", n)
	}
	for _, w := range strings.Fields(strings.Trim(h.Snippet, "…")) {
		if !strings.Contains(" "+content, " "+w+" ") {
			t.Errorf("%q is cut from a word", w)
		}
	}
}

// Whatever the text and the query, a snippet is a part of the text.
func TestSnippetProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.OneOf(
			rapid.SampledFrom([]string{"tea", "getUserName", "v1.2.3", "数据库迁移使用蓝绿部署", "e\u0301te\u0301", "ﾃﾞｰﾀ", "\n", "**", "…", "배포절차"}),
			rapid.StringN(0, 20, -1),
		)
		text := strings.Join(rapid.SliceOfN(word, 0, 200).Draw(t, "text"), " ")
		asked := analyze(rapid.SampledFrom(append(modelWords, "\U0001F375 tea")).Draw(t, "query"))
		p := rapid.SampledFrom(passages(text)).Draw(t, "passage")
		s, marks := snippet(text, p.Span, &asked)
		checkSnippet(t, text, s, marks)
	})
}

// A snippet begins and ends where sentences do, if those around the words are short enough,
// and goes on with what follows the words.
func TestSnippetEnds(t *testing.T) {
	fill := strings.Repeat("Nothing is said here at all. ", 30)
	long := strings.Repeat("it goes on and on, ", 30)
	tests := []struct{ name, text, begins, ends string }{
		{"in the middle", fill + "Where does the gateway listen? On port 8443. " + fill, "Where does", "at all."},
		{"at the end", fill + "Where does the gateway listen? On port 8443.", "Nothing is", "On port 8443."},
		{"a list", fill + "\n- the gateway listens\n- on 8443\n\n" + long, "Nothing", "- on 8443"},
		{"what is announced", fill + long + ". The gateway listens here:\n- on 8443\n\nAll ports:\n" + long, "", "- on 8443"},
		{"what is announced, and long", fill + "The gateway listens:\n" + long, "The gateway", "…"},
		{"other signs", strings.Repeat("这里什么都没有。", 60) + "The gateway 在这里。" + strings.Repeat("这里什么都没有。", 60), "The gateway", "没有。"},
		{"a long one behind", "The gateway listens on 8443. " + long, "The gateway", "8443."},
		{"a long one that ends", fill + long + "and the gateway listens on 8443. " + long, "…", "8443."},
		{"a long one that begins", fill + "The gateway listens, " + long + long, "The gateway", "…"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := firstHit(t, tt.text, "gateway listen").Snippet
			if !strings.HasPrefix(s, tt.begins) || !strings.HasSuffix(s, tt.ends) || !strings.Contains(s, "gateway") {
				t.Errorf("snippet %q", s)
			}
			checkSnippet(t, tt.text, s, nil)
		})
	}
}

func checkSnippet(t interface{ Errorf(string, ...any) }, text, s string, marks []Span) {
	if n := utf8.RuneCountInString(s); n > SnippetRunes {
		t.Errorf("%d runes", n)
	}
	inner := s
	if s != text {
		inner = strings.TrimSuffix(strings.TrimPrefix(s, ellipsis), ellipsis)
	}
	if !strings.Contains(text, inner) {
		t.Errorf("%q is no part of the text", s)
	}
	at := 0
	for _, m := range marks {
		if m.Start < at || m.End <= m.Start || m.End > len(s) {
			t.Errorf("marks %v of %q", marks, s)
			return
		}
		if utf8.ValidString(text) && !utf8.ValidString(s[m.Start:m.End]) {
			t.Errorf("mark %v cuts a rune of %q", m, s)
		}
		at = m.End
	}
}

// marked is the snippet of a hit with its marks in brackets.
func marked(h *Hit) string {
	var b strings.Builder
	at := 0
	for _, m := range h.Marks {
		b.WriteString(h.Snippet[at:m.Start] + "[" + h.Snippet[m.Start:m.End] + "]")
		at = m.End
	}
	return b.String() + h.Snippet[at:]
}
