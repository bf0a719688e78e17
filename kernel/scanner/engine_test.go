package scanner

import (
	"context"
	"errors"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// The automaton finds what strings.Index finds.
func TestAutomaton(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringOfN(rapid.SampledFrom([]rune("abcé-")), 1, 4, -1)
		words := rapid.SliceOfNDistinct(word, 1, 8, rapid.ID).Draw(t, "words")
		text := rapid.StringOf(rapid.SampledFrom([]rune("abcABCé- x"))).Draw(t, "text")
		type hit struct{ start, end, word int }
		var got, want []hit
		newAutomaton(words).walk(text, func(word uint16, end int) {
			got = append(got, hit{end - len(words[word]), end, int(word)})
		})
		lower := strings.Map(func(r rune) rune {
			if r >= 'A' && r <= 'Z' {
				return r + 'a' - 'A'
			}
			return r
		}, text)
		for i, w := range words {
			for at := 0; at+len(w) <= len(lower); at++ {
				if lower[at:at+len(w)] == w {
					want = append(want, hit{at, at + len(w), i})
				}
			}
		}
		order := func(a, b hit) int { return (a.start-b.start)*1000000 + (a.end-b.end)*1000 + a.word - b.word }
		slices.SortFunc(got, order)
		slices.SortFunc(want, order)
		if !slices.Equal(got, want) {
			t.Fatalf("got %v, want %v", got, want)
		}
	})
}

func TestAnalyse(t *testing.T) {
	for _, c := range []struct {
		re   string
		kw   string
		want reach
	}{
		{`\bab[0-9]{4}\b`, "ab", reach{left: 2 + slack, right: 6 + slack}},
		{`(?i)x?(?:abc|abd)[0-9]{2,5}`, "ab", reach{left: 3 + slack, right: 9 + slack}},
		{`(?:A3T[A-Z0-9]|AKIA|ASIA)x`, "a3t akia asia", reach{left: 5 + slack, right: 5 + slack}},
		{`(?:abc|xyz)`, "abc", reach{whole: true}},     // a match without the keyword
		{`(?:abc)?x`, "abc", reach{whole: true}},       // the same
		{`(?:abc)*x`, "abc", reach{whole: true}},       // the same
		{`abc.*`, "abc", reach{whole: true}},           // as long as the line
		{`abc[\s\S]{3,}?z`, "abc", reach{whole: true}}, // as long as the text
		{`abc[a-z]+`, "abc", reach{left: 3 + slack, right: 4 + slack, run: true}},
		{`abc\s*z`, "abc", reach{left: 3 + slack, right: 5 + blanks + slack}},
		{`abc[^x]`, "abc", reach{left: 3 + slack, right: 7 + slack}}, // é is two bytes, an emoji four
		{`a[bc]d`, "abd acd", reach{left: 3 + slack, right: 3 + slack}},
		{`a[b-z]d`, "abd", reach{whole: true}},
	} {
		tree, err := syntax.Parse(c.re, syntax.Perl)
		if err != nil {
			t.Fatal(err)
		}
		got := analyse(tree, strings.Fields(c.kw))
		if !cmp.Equal(got, c.want, cmp.AllowUnexported(reach{})) {
			t.Errorf("%s: got %+v, want %+v", c.re, got, c.want)
		}
	}
}

// Most of gitleaks' rules run in windows; if they did not, the engine would be
// no faster than the detector.
func TestMostRulesHaveWindows(t *testing.T) {
	whole := 0
	var names []string
	for _, r := range foreignEngine(t).rules {
		if r.reach.whole {
			whole++
			names = append(names, r.id)
		}
	}
	if whole > 12 {
		t.Errorf("%d rules run over the whole text: %v", whole, names)
	}
}

// A span of a view leads back into the text, in order, for every view.
func TestViewsLeadBack(t *testing.T) {
	known := scanner(t).engine.known
	piece := rapid.OneOf(
		rapid.SampledFrom([]string{`\n`, `\"`, `\\`, `\u0041`, `\ud83d\ude00`, `\x41`, "\u200B", "ａ", "а", "%41", "&#65;", "&amp;", "é", "(x).", " ", "日本", "YWJjZGVmZ2hpamtsbW5vcA==", "YWJjZGVmZ2hpamtsbW5vcA", `x1" + "y`, "x\\\ny", " a1b2 c3d4 e5f6 g7h8 i9j0 k1l2", `gh" + "p_a1B2c3D4`, "5e6F|", "G7h8I9_phg", "tuc_1a2B3c4D5e6F7g8H", "67:68:70:5f:61:31:42:32:63:33:44:34", "=67=68", "=\n"}),
		rapid.String(),
	)
	rapid.Check(t, func(t *rapid.T) {
		text := strings.ToValidUTF8(strings.Join(rapid.SliceOf(piece).Draw(t, "pieces"), ""), "")
		list, err := views(context.Background(), Field{Name: "metadata.x", Text: text}, &known)
		if errors.Is(err, errDecoded) {
			t.Skip("more views than are looked at: such a text is refused")
		}
		if err != nil {
			t.Fatal(err)
		}
		for _, v := range list {
			if v.spans != nil && len(v.spans) != len(v.text) {
				t.Fatalf("%s: %d spans for %d bytes", v.kind, len(v.spans), len(v.text))
			}
			for i := range v.text {
				s := snap(text, v.source(span{i, i + 1}))
				if s.start < 0 || s.end > len(text) || s.end < s.start {
					t.Fatalf("%s: byte %d leads to %v of %d bytes", v.kind, i, s, len(text))
				}
			}
		}
	})
}

func TestUnescape(t *testing.T) {
	for in, want := range map[string]string{
		`a\"b`:            `a"b`,
		`a\u0041\u00e9`:   "aAé",
		`\ud83d\ude00`:    "😀",
		`a\nb\x41`:        "a\nbA",
		`a\/b`:            "a/b",
		`a\qb`:            "",
		`\u12`:            "",
		`plain`:           "",
		`%41%c3%a9`:       "Aé",
		`100%ab%4`:        "",
		`&#65;&#x42;&lt;`: "AB<",
		`\u{41}\101`:      "AA",
		`a & b; c`:        "",
	} {
		got := ""
		if v := unescape(&view{kind: viewRaw, text: in}); v != nil {
			got = v.text
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", in, got, want)
		}
	}
}

func TestRelaxKeepsLength(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		if v := relax(&view{kind: viewRaw, text: text}); v != nil && (len(v.text) != len(text) || !isASCII(v.text)) {
			t.Fatalf("%q became %q", text, v.text)
		}
	})
}
