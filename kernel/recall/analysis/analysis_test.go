package analysis

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// format shows tokens as term/kind, and stop words in brackets.
func format(text string) string {
	var out []string
	for _, t := range Analyze(text) {
		s := t.Term
		switch {
		case t.Kind == Whole:
			s += "/whole"
		case t.Kind == Extra:
			s += "/extra"
		case t.Stop:
			s = "(" + s + ")"
		}
		out = append(out, s)
	}
	return strings.Join(out, " ")
}

func TestAnalyze(t *testing.T) {
	tests := []struct{ text, want string }{
		{"", ""},
		{" ?! -- ...", ""},
		{"Caching the Responses", "cach (the) respons"},
		{"went goes going", "go go go"},
		{"Alice's don't we'll o'clock", "alic (dont) (we) clock oclock/whole"},
		{"café Straße naïve Øre", "cafe strass naiv ore"},
		{"e\u0301te\u0301", "ete"},
		{"ＡＰＩ ﬁle ²", "api file 2"},
		{"soft\u00adhyphen zero\u200bwidth", "softhyphen zero width"},
		{"МОСКВА ёлка йод", "москва елка йод"},
		{"Ὀδυσσεύς", "οδυσσευσ"},
		{"مُحَمَّد", "محمد"},
		{"getHTTPUrl", "get http url gethttpurl/whole"},
		{"get_user_name", "get user name getusernam/whole"},
		{"get-user-name", "get user name getusernam/whole"},
		{"getUserName", "get user name getusernam/whole"},
		{"APIs IDs", "api id"},
		{"k8s v2", "k8s v2"},
		{"sha256", "sha 256 sha256/whole"},
		{"v1.2.3", "v1/extra 1.2/extra 1.2.3"},
		{"3.14", "3.14"},
		{"1.2.3-rc1", "1.2/extra 1.2.3 rc rc1/whole"},
		{"kernel/memory/plan.go", "kernel memori plan go plango/whole kernelmemoryplango/whole"},
		{"a@b.example", "(a) exampl bexampl/whole abexampl/whole"},
		{"std::vector", "std vector stdvector/whole"},
		{"wait...what", "wait (what)"},
		{"C++, C# and C", "c++ c# (and) c"},
		{"e-mail", "mail email/whole"},
		{"数据库", "数/extra 数据 据/extra 据库 库/extra"},
		{"库", "库"},
		{"배포 절차", "배/extra 배포 포/extra 절/extra 절차 차/extra"},
		{"サーバー", "サ/extra サー ー/extra ーバ バ/extra バー ー/extra"},
		{"ｶﾞｯﾂ", "ガ/extra ガッ ッ/extra ッツ ツ/extra"},
		{"API設計v2", "api 設/extra 設計 計/extra v2"},
		{"ไทย", "ไ/extra ไท ท/extra ทย ย/extra"},
		{"हिन्दी", "हिन्दी"},
		{"\xff\xfetea\xff", "tea"},
		{"I\xf6\u0302", "(i)"}, // norm.Iter alone does not end
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, format(tt.text)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// Offsets are those of the text as it was given.
func TestOffsets(t *testing.T) {
	tests := []struct {
		text string
		want []string
	}{
		{"At the Café, getUserName", []string{"At", "the", "Café", "get", "User", "Name", "getUserName"}},
		{"ｶﾞ e\u0301te\u0301!", []string{"ｶﾞ", "e\u0301te\u0301"}},
		{"v1.2.3 C++", []string{"v1", "v1.2", "v1.2.3", "C++"}},
	}
	for _, tt := range tests {
		var got []string
		for _, k := range Analyze(tt.text) {
			got = append(got, tt.text[k.Start:k.End])
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tt.text, diff)
		}
	}
}

// The lexicon forgets rather than grow without bound.
func TestLexiconIsBounded(t *testing.T) {
	l := lexicon{words: map[string]word{}}
	buf := make([]byte, 4)
	for i := range maxLexicon + 10 {
		for k := range buf {
			buf[k] = byte('a' + i>>(4*k)&15)
		}
		if got := l.lookup(buf); got.term == "" {
			t.Fatalf("no term for %s", buf)
		}
	}
	if n := len(l.words); n > maxLexicon {
		t.Errorf("%d words", n)
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{"tea", "getUserName v1.2.3", "数据库", "a\x00b\xff", "don't", "ｶﾞｯﾂ", "C++", strings.Repeat("a.1", 50), "e\u0301\u0302", "İıſ"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tokens := Analyze(text)
		pos := 0
		for _, k := range tokens {
			if k.Term == "" || len(k.Term) > MaxTermBytes {
				t.Errorf("term %q", k.Term)
			}
			if k.Start < 0 || k.End < k.Start || k.End > len(text) {
				t.Fatalf("%q at [%d, %d) of %d", k.Term, k.Start, k.End, len(text))
			}
			if utf8.ValidString(text) && !utf8.ValidString(text[k.Start:k.End]) {
				t.Errorf("%q cuts a rune", k.Term)
			}
			if k.Span < 1 || k.Kind != Whole && (k.Pos < pos-1 || k.Pos > pos) {
				t.Errorf("%q is word %d after %d words", k.Term, k.Pos, pos)
			}
			if k.Kind == Word {
				pos = k.Pos + 1
			}
		}
		if !slices.Equal(tokens, Analyze(text)) {
			t.Error("two analyses differ")
		}
	})
}

func BenchmarkAnalyze(b *testing.B) {
	text := "The database migration uses a blue-green deployment strategy; see kernel/memory/plan.go and run getUserName before the nightly jobs."
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		Analyze(text)
	}
}
