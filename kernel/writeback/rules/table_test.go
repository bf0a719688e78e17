package rules_test

import (
	"os"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// TestTable holds every rule to the examples that stand below it: what it takes, and
// what no rule takes.
func TestTable(t *testing.T) {
	source, err := os.ReadFile("rules.txt")
	if err != nil {
		t.Fatal(err)
	}
	rule, category := "", ""
	taken := map[string]int{}
	for line := range strings.Lines(string(source)) {
		word, rest, _ := strings.Cut(strings.TrimSpace(line), " ")
		said, want, given := strings.Cut(rest, " => ")
		if !given {
			want = said
		}
		if !strings.HasSuffix(want, ".") && !strings.HasSuffix(want, "。") {
			want += "."
		}
		got := rules.Extract(worked(said))
		switch word {
		case "rule":
			f := strings.Fields(rest)
			rule, category = f[0], f[1]
			taken[rule] += 0
		case "yes":
			taken[rule]++
			if len(got) != 1 || got[0].Content != want || string(got[0].Category) != category {
				t.Errorf("%s: %q: got %v, want %s %q", rule, said, got, category, want)
			}
		case "no":
			if len(got) > 0 {
				t.Errorf("%s: %q: got %s %q, want nothing", rule, said, got[0].Category, got[0].Content)
			}
		}
	}
	for rule, n := range taken {
		if n == 0 && rule != "practice" { // of frames alone: see TestGlobal
			t.Errorf("%s has no example", rule)
		}
	}
}
