package vfs

import "github.com/rnixfs/rnixfs/kernel/memory"

// NewProfile returns the profile device: who the user is. It takes the requests
// of commit; their target is always the user.
func NewProfile(store *memory.Store, find ProjectFunc) Device {
	return &entries{
		name: "profile", store: store, project: find, fixed: true,
		targets: []memory.Scope{memory.ScopeUser},
		help: help{
			Device:  "profile",
			About:   "remembers who the user is: write one JSON object, then read this file for the reply",
			Actions: memory.Actions(),
			Fields:  entryHelp(`always "user"; another known one is taken for it`),
			Example: `echo '{"action":"add","content":"Prefers short answers"}' > profile; cat profile`,
		},
	}
}
