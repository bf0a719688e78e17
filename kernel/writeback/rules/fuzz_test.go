package rules_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// FuzzExtract gives the text to all roles and holds what comes out to what is
// promised.
func FuzzExtract(f *testing.F) {
	for _, p := range planted {
		f.Add(p, "Bash(npm test)\nnpm: command not found")
	}
	f.Add("I'm Dana, and I've `always` *liked* __it__ [x](y). remember: \xff\xfe", "Bash(\xff)\n")
	f.Add(". and so on", ". remember: x")
	f.Add("- [ ] always use `x\n```\nnever\n", "x(y\nz")
	f.Add("Bitte immer ß und İ benutzen, nie nur SS.", "")
	f.Fuzz(func(t *testing.T, said, answered string) {
		c := process.Transcript{Turns: []process.Turn{
			{ID: "1", Role: process.RoleUser, Content: said},
			{ID: "2", Role: process.RoleAssistant, Content: answered},
			{ID: "3", Role: process.RoleTool, Tool: "Bash", Content: answered, Failed: true},
			{ID: "4", Role: process.RoleTool, Tool: "Bash", Content: said},
			{ID: "5", Role: process.RoleUser, Content: answered},
			{ID: "6", Role: process.RoleUser, Content: said},
			{ID: "7", Role: process.RoleAssistant, Content: said},
		}}
		got := rules.Extract(c)
		if !reflect.DeepEqual(got, rules.Extract(c)) {
			t.Fatal("the same conversation gives other candidates")
		}
		for _, cand := range got {
			hold(t, cand)
		}
	})
}

func hold(t *testing.T, c rules.Candidate) {
	t.Helper()
	switch {
	case c.Content == "" || !utf8.ValidString(c.Content) || strings.ContainsAny(c.Content, "\n\r\x00\x1b"):
		t.Fatalf("content %q", c.Content)
	case utf8.RuneCountInString(c.Content) > 300:
		t.Fatalf("%d runes", utf8.RuneCountInString(c.Content))
	case c.Importance < 0 || c.Importance > 1:
		t.Fatalf("importance %v", c.Importance)
	case len(c.Turns) == 0 || slices.Contains(c.Turns, ""):
		t.Fatalf("turns %q", c.Turns)
	case !slices.Contains([]rules.Category{rules.Request, rules.Instruction, rules.Correction, rules.Preference, rules.Command}, c.Category):
		t.Fatalf("category %q", c.Category)
	case !slices.Contains([]memory.Scope{memory.ScopeProject, memory.ScopeGlobal, memory.ScopeUser}, c.Target):
		t.Fatalf("target %q", c.Target)
	case !slices.Contains([]string{"semantic", "procedural"}, c.Type):
		t.Fatalf("type %q", c.Type)
	}
}
