package vfs

import (
	"strings"
	"testing"
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
