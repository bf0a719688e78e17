package agents

import (
	"strings"

	"github.com/pmezard/go-difflib/difflib"
)

// Diff returns the change of a file as a unified diff, "" for none.
func Diff(name string, before, after []byte) string {
	text, _ := difflib.GetUnifiedDiffString(difflib.UnifiedDiff{
		A: lines(before), B: lines(after), FromFile: name, ToFile: name, Context: 3,
	}) // a strings.Builder's writes don't fail
	return text
}

// lines splits a text after its line ends. A last line without is marked as diff(1)
// does.
func lines(text []byte) []string {
	all := strings.SplitAfter(string(text), "\n")
	last := len(all) - 1
	if all[last] == "" {
		return all[:last]
	}
	all[last] += "\n\\ No newline at end of file\n"
	return all
}
