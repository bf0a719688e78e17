package vfs

import (
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// NewScope returns the device of a scope that has none else, of the scope's name: a
// session's, an agent's, or one that memory.yaml adds. It takes the requests of commit; their target is always the scope.
func NewScope(s *store.Store, find ProjectFunc, scope memory.Scope) Device {
	name := string(scope)
	return &entries{
		store: s, project: find, fixed: true,
		own: scope,
		writable: writable{help{
			Device:  name,
			About:   "remembers in the scope " + name + ": write one JSON object, then read this file for the reply",
			Actions: store.Actions(),
			Fields:  entryHelp(`always "` + name + `"; another known one is taken for it`),
			Example: `echo '{"action":"add","content":"..."}' > ` + name + `; cat ` + name,
		}},
	}
}
