package config_test

import (
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/config"
)

// TestKnowledgeRows: a collection gets a line of its own, once, and is taken out again;
// every other line stays.
func TestKnowledgeRows(t *testing.T) {
	row := config.KnowledgeRow{Dir: "~/run books", Glob: "**/*.md"}
	const line = `- {dir: "~/run books", glob: "**/*.md"}` + "\n"
	for before, want := range map[string][2]string{ // with it, and without it again
		"":                  {"knowledge:\n  " + line, "knowledge: []\n"},
		"enabled: true # x": {"enabled: true # x\nknowledge:\n  " + line, "enabled: true # x\nknowledge: []\n"},
		"knowledge: [] # none\nlog: {level: warn}\n": {"knowledge:  # none\n  " + line + "log: {level: warn}\n", "knowledge: []  # none\nlog: {level: warn}\n"},
		"knowledge:\n# mine\n- {man: [1]} # y\n":     {"knowledge:\n# mine\n" + line + "- {man: [1]} # y\n", "knowledge:\n# mine\n- {man: [1]} # y\n"},
	} {
		got, err := config.AddKnowledge([]byte(before), row)
		if string(got) != want[0] || err != nil {
			t.Errorf("%q: %q, %v", before, got, err)
			continue
		}
		if _, err := config.AddKnowledge(got, row); err == nil || !strings.Contains(err.Error(), "there already") {
			t.Errorf("%q twice: %v", before, err)
		}
		if got, err = config.RemoveKnowledge(got, row.Name()); string(got) != want[1] || err != nil {
			t.Errorf("%q removed: %q, %v", before, got, err)
		}
	}
	several := "knowledge:\n  # first\n  - man:\n      - 1\n      - 5\n  - dir: /x\n    glob: \"*\"\n\n  # last\n  - {dir: /y}\n"
	if got, err := config.RemoveKnowledge([]byte(several), "/x"); string(got) != strings.Replace(several, "  - dir: /x\n    glob: \"*\"\n", "", 1) || err != nil {
		t.Errorf("a row of several lines: %q, %v", got, err)
	}
	for before, want := range map[string]string{
		"knowledge: [{man: [1]}]\n":        "by hand",
		"knowledge: [\n  {man: [1]},\n]\n": "by hand",
		"{enabled: true}\n":                "by hand",
		"knowledge: [{man: [0]}]\n":        "mended first",
	} {
		if got, err := config.AddKnowledge([]byte(before), row); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %q, %v", before, got, err)
		}
	}
	if got, err := config.RemoveKnowledge([]byte("enabled: true\nknowledge: [{man: [1]}]\n"), "man"); string(got) != "enabled: true\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if got, err := config.RemoveKnowledge([]byte("knowledge:\n  # mine\n  - {man: [1]}\n"), "man"); string(got) != "knowledge: []\n  # mine\n" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := config.RemoveKnowledge([]byte("knowledge: [{man: [1]}, {man: [5], path: /x}]\n"), "man"); err == nil || !strings.Contains(err.Error(), "by hand") {
		t.Error(err)
	}
	for _, row := range []config.KnowledgeRow{{Man: []int{0}}, {Dir: "/x", Glob: "[a"}, {Dir: "/x\ny"}} {
		if got, err := config.AddKnowledge(nil, row); err == nil || !strings.Contains(err.Error(), "the collection") {
			t.Errorf("%v: %q, %v", row, got, err)
		}
	}
	if _, err := config.RemoveKnowledge(nil, "man"); err == nil || !strings.Contains(err.Error(), "no collection") {
		t.Error(err)
	}
}
