package scanner

import (
	"context"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestFindingPlace(t *testing.T) {
	token := githubToken(41)
	text := "línea\nuse (" + token + ") now"
	rep := scanText(t, scanner(t), text)
	if len(rep.Findings) == 0 {
		t.Fatal("nothing found")
	}
	f := rep.Findings[0]
	if f.Offset != strings.Index(text, token) || f.Length != len(token) {
		t.Errorf("offset %d, length %d", f.Offset, f.Length)
	}
	if f.Line != 2 || f.Column != 6 || f.Field != "content" || f.Category != "secret" || f.View == "" || f.Description == "" {
		t.Errorf("got %+v", f)
	}
	if want := "use (g*********"; f.Preview != want {
		t.Errorf("preview %q, want %q", f.Preview, want)
	}
}

func TestPreview(t *testing.T) {
	for _, c := range []struct{ text, value, want string }{
		{"pw s3cret!", "s3cret!", "pw *******"},
		{"pw s3cret!!", "s3cret!!", "pw s*******"},
		{strings.Repeat("x", 30) + "0123456789abcdef", "0123456789abcdef", strings.Repeat("x", 24) + "0*********"},
		{"line before\nab\tlong-long-value", "long-long-value", "ab l*********"},
		{"é" + strings.Repeat("ü", 24) + "long-long-value", "long-long-value", strings.Repeat("ü", 24) + "l*********"},
	} {
		at := strings.Index(c.text, c.value)
		f := Finding{Offset: at, Length: len(c.value), span: span{at, at + len(c.value)}}
		col := &collector{fields: []Field{{Text: c.text}}, rep: Report{Findings: []Finding{f}}}
		if got := col.preview(&col.rep.Findings[0]); got != c.want {
			t.Errorf("%q: got %q, want %q", c.text, got, c.want)
		}
	}
}

// What stands before a finding may be another one: it is not shown.
func TestPreviewHidesNeighbours(t *testing.T) {
	token := githubToken(42)
	rep := scanText(t, scanner(t), token+" password is Tr0ub4dor&3x")
	if len(rep.Findings) < 2 {
		t.Fatalf("only %s", ids(rep.Findings))
	}
	for _, f := range rep.Findings {
		if strings.Contains(f.Preview, token[30:]) {
			t.Errorf("%s: %q", f.Rule, f.Preview)
		}
	}
}

// A label of the caller's choice belongs to the value; the protocol's own field
// names do not.
func TestPair(t *testing.T) {
	s := scanner(t)
	value := githubToken(43)[8:32]
	for _, c := range []struct {
		name string
		want bool
	}{{"metadata.db_password", true}, {"metadata.api_key", true}, {"metadata.owner", false}, {"key", false}, {"content", false}} {
		rep, err := s.Scan(context.Background(), []Field{{Name: "content", Text: "clean"}, {Name: c.name, Text: value}})
		if err != nil {
			t.Fatal(err)
		}
		if got := len(rep.Findings) > 0; got != c.want {
			t.Errorf("%s: found %q, want %v", c.name, ids(rep.Findings), c.want)
		}
		for _, f := range rep.Findings {
			if f.Field != c.name || f.Offset != 0 || f.Length != len(value) {
				t.Errorf("%s: got %+v", c.name, f)
			}
		}
	}
}

func TestStats(t *testing.T) {
	s, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if st := s.Stats(); st.Scans != 0 || st.Rejects != 0 || len(st.Findings) != 0 {
		t.Errorf("after the start: %+v", st)
	}
	scanText(t, s, "clean")
	scanText(t, s, "innocent\u200Bcontent")
	_, _ = s.Scan(context.Background(), []Field{{Text: "\xff"}})
	got := s.Stats()
	if got.Seconds <= 0 {
		t.Error("the scans took no time")
	}
	got.Seconds = 0
	want := Stats{
		Rules: got.Rules, RulesHash: got.RulesHash, Scans: 3, Bytes: 5 + 18 + 1, Rejects: 1,
		Failures: map[Reason]uint64{ReasonEncoding: 1}, Findings: map[string]uint64{"unicode-zero-width": 1},
		Verdicts: map[Verdict]uint64{{"unicode-zero-width", CategoryUnicode, Reject}: 1},
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
}

func TestMaskIsPrintable(t *testing.T) {
	for _, v := range []string{"", "a", "\u200B\u200B\u200B\u200B\u200B\u200B\u200B\u200B\u200B", strings.Repeat("\x1b", 9)} {
		if m := mask(v); m == "" || strings.ContainsAny(m, "\u200B\x1b") || !utf8.ValidString(m) {
			t.Errorf("mask(%q) = %q", v, m)
		}
	}
}
