package analysis

import (
	_ "embed"
	"strings"
)

// forms holds a base and its irregular forms on each line.
//
//go:embed irregular.txt
var forms string

// irregular leads the forms that no stemmer reaches back to their base. Forms
// that are more often another word are left out (rose, ground, lay, bore).
var irregular = func() map[string]string {
	table := map[string]string{}
	for line := range strings.Lines(forms) {
		words := strings.Fields(line)
		for _, form := range words[1:] {
			table[form] = words[0]
		}
	}
	return table
}()
