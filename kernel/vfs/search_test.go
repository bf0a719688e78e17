package vfs

import (
	"context"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// TestMarked: what is copied from a page is as it was written.
func TestMarked(t *testing.T) {
	for text, want := range map[string]string{
		"open the session now":         "open the **session** now",
		"a mocksessionDB":              "a mocksessionDB",
		"see src/session.ts":           "see src/session.ts",
		"my_session":                   "my_session",
		"run `rm session` and":         "run `rm session` and",
		"`x` session":                  "`x` **session**",
		"```go\nsession := 1\n```\nor": "```go\nsession := 1\n```\nor",
		"(session).":                   "(**session**).",
		"数据session库":                   "数据**session**库",
		"session":                      "**session**",
	} {
		i := strings.Index(text, "session")
		if got := marked(text, [][2]int{{i, i + len("session")}}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestElsewhere: a person hears of other projects, an agent does not.
func TestElsewhere(t *testing.T) {
	d := &recallDevice{RecallOptions: RecallOptions{Elsewhere: func(context.Context, memory.Caller) []Elsewhere {
		return []Elsewhere{{"/b", "cd '/b' && rnixfs recall WORDS"}}
	}}}
	const here, there = "searched: entries 0, conversations 0\n", "there are conversations in /b: cd '/b' && rnixfs recall WORDS\n"
	for _, tt := range []struct {
		caller memory.Caller
		want   string
	}{
		{memory.Caller{Trust: memory.TrustHuman}, here + there},
		{memory.Caller{Trust: memory.TrustAgent}, here},
		{memory.Caller{}, here},
		{memory.Caller{Trust: memory.TrustHuman, Alone: true}, here},
	} {
		var reply RecallReply
		d.nothing(t.Context(), tt.caller, &recall.Query{}, &reply)
		if got := reply.Nothing(); got != tt.want {
			t.Errorf("%+v: %q", tt.caller, got)
		}
	}
}
