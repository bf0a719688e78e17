package rules_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

func contents(c process.Transcript) []string {
	var out []string
	for _, got := range rules.Extract(c) {
		out = append(out, got.Content)
	}
	return out
}

// TestTwiceIsOnce: what is said again in the same words is one candidate of both turns.
func TestTwiceIsOnce(t *testing.T) {
	got := rules.Extract(talk(session("Always sign your commits.", "always sign your commits!")...))
	if len(got) != 1 || got[0].Content != "Always sign your commits." || len(got[0].Turns) != 2 {
		t.Errorf("got %v", got)
	}
	got = rules.Extract(talk(session("Always sign your commits.", "Please remember: always sign your commits!")...))
	if len(got) != 1 || !got[0].Asked || len(got[0].Turns) != 2 {
		t.Errorf("got %v", got)
	}
}

func TestLongContentIsCut(t *testing.T) {
	c := worked("Remember that " + strings.Repeat("the ünïcode port is 8443 and ", 18))
	got := rules.Extract(c)
	if len(got) != 1 || len([]rune(got[0].Content)) > 300 || !strings.Contains(got[0].Content, "…") {
		t.Errorf("got %v", got)
	}
}

func TestHugeConversation(t *testing.T) {
	if testing.Short() {
		t.Skip("it reads a megabyte of sentences")
	}
	line := strings.Repeat("Nothing of note was said here, and the log goes on. ", 500)
	var c process.Transcript
	for i := range 2000 { // 50 MB
		role := process.RoleUser
		if i%2 == 0 {
			role = process.RoleTool
		}
		c.Turns = append(c.Turns, process.Turn{ID: fmt.Sprint(i), Role: role, Content: line})
	}
	c.Turns = append(c.Turns, process.Turn{ID: "last", Role: process.RoleUser, Content: "Remember that the port is 8443."})
	if got := contents(c); len(got) != 1 {
		t.Errorf("got %q, want what was said last", got)
	}
}

// TestOneLongLine is quadratic when a rule or the splitting is.
func TestOneLongLine(t *testing.T) {
	for _, s := range []string{"`", "a.", "(", "no, ", "\n", "- ", "I ", "always ", "```\n", "<a>", "。", "? "} {
		c := process.Transcript{Turns: []process.Turn{{ID: "a", Role: process.RoleUser, Content: strings.Repeat(s, 1<<20)}}}
		rules.Extract(c)
	}
}
