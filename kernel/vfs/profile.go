package vfs

import (
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// NewProfile returns the profile device: who the user is. It takes the requests
// of commit; their target is always the user.
func NewProfile(s *store.Store, find ProjectFunc) Device {
	return &entries{
		store: s, project: find, fixed: true,
		own: memory.ScopeUser,
		writable: writable{help{
			Device:  "profile",
			About:   "remembers who the user is: write one JSON object, then read this file for the reply",
			Actions: store.Actions(),
			Fields:  entryHelp(`always "user"; another known one is taken for it`),
			Example: `echo '{"action":"add","content":"Prefers short answers"}' > profile; cat profile`,
		}},
	}
}
