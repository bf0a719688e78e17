package memory_test

import (
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

func TestResolve(t *testing.T) {
	caller := memory.Caller{UID: 7, Project: "/p", Exe: "/usr/bin/codex (deleted)", Leader: "sid-9"}
	in := func(change func(*memory.Caller)) memory.Caller {
		c := caller
		change(&c)
		return c
	}
	for name, tc := range map[string]struct {
		caller memory.Caller
		scope  memory.Scope
		owner  string
		fails  bool
	}{
		"project":       {caller, memory.ScopeProject, "/p", false},
		"no project":    {in(func(c *memory.Caller) { c.Project = "" }), memory.ScopeProject, "", false},
		"global":        {caller, memory.ScopeGlobal, "7", false},
		"profile":       {caller, memory.ScopeUser, "7", false},
		"attested":      {caller, memory.ScopeSession, "sid-9", false},
		"tree":          {in(func(c *memory.Caller) { c.Session = "s1" }), memory.ScopeSession, "s1", false},
		"no session":    {memory.Caller{}, memory.ScopeSession, "", true},
		"program":       {caller, memory.ScopeAgent, "codex", false},
		"named":         {in(func(c *memory.Caller) { c.Agent = "reviewer" }), memory.ScopeAgent, "reviewer", false},
		"a way out":     {in(func(c *memory.Caller) { c.Agent = "../x" }), memory.ScopeAgent, "", true},
		"a hidden file": {in(func(c *memory.Caller) { c.Agent = ".x" }), memory.ScopeAgent, "", true},
	} {
		id, err := memory.Resolve(tc.caller, tc.scope, memory.DefaultPolicies()[tc.scope])
		switch {
		case (err != nil) != tc.fails:
			t.Errorf("%s: %v", name, err)
		case err == nil && (id.Owner != tc.owner || id.Scope != tc.scope || id.UID != tc.caller.UID):
			t.Errorf("%s: %+v", name, id)
		}
	}
}
