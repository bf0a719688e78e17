package vfs

import (
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// NewCommit returns the commit device: knowledge of the project, or of all
// projects with the target global_memory.
func NewCommit(s *store.Store, find ProjectFunc) Device {
	return &entries{
		store: s, project: find,
		own: memory.ScopeProject,
		writable: writable{help{
			Device:  "commit",
			About:   "remembers: write one JSON object, then read this file for the reply",
			Actions: store.Actions(),
			Fields:  entryHelp(`"memory" (this project, the default), "global_memory" (all projects), "session", "agent", or a scope of memory.yaml`),
			Example: `echo '{"action":"add","content":"The API signs JWTs with RS256"}' > commit; cat commit`,
		}},
	}
}
