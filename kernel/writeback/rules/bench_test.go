package rules_test

import (
	"fmt"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// BenchmarkExtract reads a conversation of 2,000 turns, of which every other one
// is the user's.
func BenchmarkExtract(b *testing.B) {
	said := []string{
		"Thanks, Ann! Last week I went to a pottery class with my sister. It was great fun. How have you been?",
		"I've been learning the violin for two years, and it helps me relax after work.",
		"That sounds awesome! I hope you have a good time there. Let me know how it goes!",
		"Always run the linter before you push, and never edit the generated files by hand.",
		"We decided to keep SQLite because the tool must run without a server.",
	}
	var c process.Transcript
	for i := range 2000 {
		t := process.Turn{ID: fmt.Sprint(i), Role: process.RoleUser, Content: said[i/2%len(said)]}
		if i%2 == 1 {
			t.Role, t.Content = process.RoleAssistant, "Done. The build passes, and I have changed three files."
		}
		c.Turns = append(c.Turns, t)
	}
	for b.Loop() {
		rules.Extract(c)
	}
}
