package config_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
)

// TestAddAllow: exceptions get lines of their own, once; every other byte stays, and
// without those lines the file is right again.
func TestAddAllow(t *testing.T) {
	list, reason := []string{"00ff00ff", "12345678", "00ff00ff"}, `of the "stand" # 1`
	const one = `{fingerprint: "12345678", reason: "of the \"stand\" # 1"}`
	const two = `{fingerprint: "00ff00ff", reason: "of the \"stand\" # 1"}`
	const flow, open = "    " + one + ",\n    " + two + ",\n", "  allow: [\n"
	for before, want := range map[string]string{
		"":                        "scanner:\n" + open + flow + "  ]\n",
		"enabled: true":           "enabled: true\nscanner:\n" + open + flow + "  ]",
		"scanner:\n  pii: warn\n": "scanner:\n" + open + flow + "  ]\n  pii: warn\n",
		"scanner:\n  # why\n  allow: []   # none\nlog: {level: warn}\n": "scanner:\n  # why\n  allow: [   # none\n" + flow + "  ]\nlog: {level: warn}\n",
		"scanner:\n  allow: []": "scanner:\n" + open + flow + "  ]\n",
		"scanner:\n  allow: [ # mine\n    {rule: x, reason: y}, # z\n  ]\n":                           "scanner:\n  allow: [ # mine\n" + flow + "    {rule: x, reason: y}, # z\n  ]\n",
		"scanner:\n  allow:\n  # first\n  - {rule: x, reason: y}\n":                                   "scanner:\n  allow:\n  # first\n  - " + one + "\n  - " + two + "\n  - {rule: x, reason: y}\n",
		"scanner:\n  allow:\n    - match: \"\"\n      fingerprint: \"12345678\"\n      reason: old\n": "scanner:\n  allow:\n    - " + two + "\n    - match: \"\"\n      fingerprint: \"12345678\"\n      reason: old\n",
	} {
		got, lines, err := config.AddAllow([]byte(before), list, reason)
		if string(got) != want || err != nil {
			t.Errorf("%q: %q, %v", before, got, err)
			continue
		}
		if _, _, err := config.AddAllow(got, list, reason); err == nil || err.Error() != "it is allowed already" {
			t.Errorf("%q twice: %v", before, err)
		}
		rest := ""
		for row := range strings.Lines(string(got) + "\n") {
			if !slices.ContainsFunc(lines, func(l string) bool { return strings.TrimSpace(l) == strings.TrimSpace(row) }) {
				rest += row
			}
		}
		if _, _, err := config.AddAllow([]byte(rest), list, reason); err != nil {
			t.Errorf("%q without its lines is %q: %v", before, rest, err)
		}
	}
	for before, want := range map[string]string{
		"scanner: {pii: warn}\n":                    "by hand, below allow: of scanner:",
		"scanner: {allow: []}\n":                    "by hand",
		"scanner:\n  allow: [{rule: x, reason: y}]": "by hand",
		"scanner:\n  allow: [{rule: x}]\n":          "mended first",
		"scanner: [\n":                              "mended first",
	} {
		if got, _, err := config.AddAllow([]byte(before), list, reason); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", before, got, err)
		}
	}
}
