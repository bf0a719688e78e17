package scanner

import (
	"strings"
	"testing"
)

// A secret is found at its place wherever it stands in a long text, and once.
func TestScanLong(t *testing.T) {
	s, token := scanner(t), githubToken(91)
	line := "a line of plain words, and another one\n"
	for _, at := range []int{0, 1000, pieceBytes - 20, pieceBytes - pieceOverlap - 10, 2*pieceBytes + 5, 300 << 10} {
		text := strings.Repeat(line, at/len(line)) + "x\xff " + token + "\n" + strings.Repeat(line, 4000)
		want := strings.Index(text, token)
		var got []Finding
		err := s.ScanLong(t.Context(), Field{Name: "f", Text: text}, func(f Finding) error { got = append(got, f); return nil })
		if err != nil {
			t.Fatal(err)
		}
		rules := map[string]int{}
		for _, f := range got {
			rules[f.Rule]++
			if f.Offset != want || f.Line != 1+at/len(line) || f.Column != 4 || rules[f.Rule] > 1 {
				t.Errorf("at %d: %+v, want offset %d", at, f, want)
			}
		}
		if len(got) == 0 {
			t.Errorf("at %d: nothing found", at)
		}
	}
	one := strings.Repeat("é", pieceBytes) + " " + token
	n := 0
	if err := s.ScanLong(t.Context(), Field{Text: one}, func(f Finding) error { n++; return nil }); err != nil || n == 0 {
		t.Errorf("one line: %d findings, %v", n, err)
	}
}
