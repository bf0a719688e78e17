package writeback

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestFactsIn holds what is found in a text against what factForm finds in all of it.
func TestFactsIn(t *testing.T) {
	parts := []string{
		"a", "Ab", "bC", "HTTPServer", "x_y", "_", "-", "--", "-v", "--all", "/", "~/", "./x", "a/b", "a.go", ".", "..", "e.g.", ":",
		"80", ":8080", "v1.2", "`", "``", "`a b`", " ", "\n", ",", "é", "Ω1", "数", "\xff", "it's", "(", "ſ", "\u00a0",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(parts), 0, 12).Draw(t, "parts"), "")
		if got, want := factsIn(text), factForm.FindAllString(text, -1); !slices.Equal(got, want) {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	})
}

func FuzzFactsIn(f *testing.F) {
	f.Add("Run `make lint` in ./cmd, then my_tool --fast on port 8080 of dev.example.com: see parseURL.")
	f.Fuzz(func(t *testing.T, text string) {
		if got, want := factsIn(text), factForm.FindAllString(text, -1); !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// TestSets holds sets against maps.
func TestSets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lists := rapid.SliceOfN(rapid.SliceOf(rapid.SampledFrom([]string{"", "a", "b", "c", "d", "aa", "é"})), 2, 2).Draw(t, "lists")
		in := [2]map[string]bool{{}, {}}
		for i, list := range lists {
			for _, x := range list {
				in[i][x] = true
			}
		}
		a, b := newSet(lists[0]), newSet(lists[1])
		want := 0
		for x := range in[0] {
			if in[1][x] {
				want++
			}
		}
		if len(a) != len(in[0]) || len(b) != len(in[1]) || a.common(b) != want {
			t.Errorf("%q and %q have %d in common, want %d", a, b, a.common(b), want)
		}
	})
}
