package memory

import "testing"

func TestSummaryText(t *testing.T) {
	for _, s := range []Summary{
		{},
		{Title: "Fix the lexer", Asked: "Why does it loop?", Open: "A test for tabs."},
		{Title: "All", Asked: "a", Done: "b", Found: "c", Open: "d", Files: "e.go, f.go", Ended: "exit 0"},
	} {
		if got := ParseSummary(s.Text()); got != s {
			t.Errorf("ParseSummary(%q) = %+v, want %+v", s.Text(), got, s)
		}
	}
	edited := ParseSummary("Fix the\nlexer\nDone: it reads\n tabs\nnow\n")
	if want := (Summary{Title: "Fix the lexer", Done: "it reads tabs now"}); edited != want {
		t.Errorf("edited: %+v, want %+v", edited, want)
	}
}
