package transcript

import (
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// sane checks what the package promises of every conversation.
func sane(t testing.TB, h history) {
	t.Helper()
	externals := map[string]bool{}
	for _, c := range h.conversations {
		if c.External == "" || c.Agent == "" || externals[c.External] || len(c.Turns) == 0 {
			t.Fatalf("conversation %q of %q with %d turns: unnamed, there twice, or empty", c.External, c.Agent, len(c.Turns))
		}
		externals[c.External] = true
		if c.Project != "" && (!filepath.IsAbs(c.Project) || filepath.Clean(c.Project) != c.Project) {
			t.Fatalf("project %q", c.Project)
		}
		for _, s := range []string{c.External, c.Title, c.Branch, c.Model, c.Parent, c.ExitReason} {
			if !printable(s, false) || len(s) > 4*maxName {
				t.Fatalf("field %q", s)
			}
		}
		if !saneTime(c.Start) || !saneTime(c.End) {
			t.Fatalf("from %v to %v", c.Start, c.End)
		}
		ids := map[string]bool{}
		for _, turn := range c.Turns {
			if turn.ID == "" || ids[turn.ID] || !printable(turn.ID, false) {
				t.Fatalf("id %q: empty, there twice, or odd", turn.ID)
			}
			ids[turn.ID] = true
			saneTurn(t, turn)
		}
	}
}

func saneTurn(t testing.TB, turn process.Turn) {
	t.Helper()
	switch turn.Role {
	case process.RoleTool:
		if turn.Tool == "" {
			t.Fatalf("a call of no tool: %s", turn.ID)
		}
	case process.RoleUser, process.RoleAssistant, process.RoleSystem:
		if turn.Tool != "" || turn.Failed {
			t.Fatalf("%s has a tool", turn.ID)
		}
	default:
		t.Fatalf("role %q", turn.Role)
	}
	if strings.TrimSpace(turn.Content) == "" || !printable(turn.Content, true) || utf8.RuneCountInString(turn.Content) > maxText+200 {
		t.Fatalf("content of %s: empty, odd or long", turn.ID)
	}
	if !saneTime(turn.Time) {
		t.Fatalf("time of %s: %v", turn.ID, turn.Time)
	}
}

func saneTime(t time.Time) bool {
	return t.IsZero() || t.Location() == time.UTC && t.Year() >= 1970 && t.Year() <= 9999
}

func printable(s string, lines bool) bool {
	return utf8.ValidString(s) && !strings.ContainsFunc(s, func(r rune) bool {
		return r < ' ' && !(lines && (r == '\n' || r == '\t')) || r >= 0x7f && r < 0xa0
	})
}
