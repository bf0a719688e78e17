package config_test

import (
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
)

// TestAddCommand: the command comes and goes, once, and every other byte stays.
func TestAddCommand(t *testing.T) {
	const line = "command: [gemini, -p, \"\"] # entered by rnixfs install --learn\n"
	const section = "writeback: # entered by rnixfs install --learn\n  " + line
	words := []string{"gemini", "-p", ""}
	for before, want := range map[string]string{
		"":                            section,
		"# mine\r\nenabled: true\r\n": "# mine\r\nenabled: true\r\n" + section,
		"enabled: true":               "enabled: true\n" + strings.TrimSuffix(section, "\n"),
		"writeback: # how\n    # much\n    max_entries: 3\nlog:\n  level: warn\n": "writeback: # how\n    # much\n    " + line + "    max_entries: 3\nlog:\n  level: warn\n",
	} {
		got, err := config.AddCommand([]byte(before), words)
		if string(got) != want || err != nil {
			t.Errorf("%q: %q, %v", before, got, err)
		}
		again, err := config.AddCommand(got, words)
		if string(again) != want || err != nil {
			t.Errorf("%q twice: %q, %v", before, again, err)
		}
		if back := config.RemoveCommand(got, words); string(back) != before {
			t.Errorf("%q is %q after all", before, back)
		}
		if other := config.RemoveCommand(got, []string{"claude", "-p"}); string(other) != want {
			t.Errorf("%q: the command of another went: %q", before, other)
		}
	}
	if got := config.RemoveCommand([]byte(section+"  max_entries: 3\n"), words); string(got) != "writeback: # entered by rnixfs install --learn\n  max_entries: 3\n" {
		t.Errorf("a section that was added to: %q", got)
	}
	for before, want := range map[string]string{
		"writeback: {max_entries: 3}\n":         "by hand",
		"writeback:\n":                          "by hand",
		"{enabled: true}\n":                     "by hand",
		"enabled: true\n...\n":                  "by hand",
		"writeback:\n  command: [claude, -p]\n": "in line 2 of it already",
		"a: [\n":                                "",
	} {
		if got, err := config.AddCommand([]byte(before), words); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", before, got, err)
		}
	}
}
