package memory

import "slices"

// Scope says whose memory an entry belongs to. Each has its own limit, overflow
// policy and lifetime. Its values are the protocol's targets.
type Scope string

// The scopes. The set is closed: an unknown target is an error, never a guess.
const (
	ScopeProject Scope = "memory"        // the project of the caller's working directory
	ScopeGlobal  Scope = "global_memory" // all projects of the user
	ScopeUser    Scope = "user"          // who the user is: the profile
	ScopeSession Scope = "session"       // facts of one session, in RAM
	ScopeAgent   Scope = "agent"         // one kind of agent
)

// Scopes returns every scope.
func Scopes() []Scope {
	return []Scope{ScopeProject, ScopeGlobal, ScopeUser, ScopeSession, ScopeAgent}
}

// Valid reports whether s is one of the known scopes.
func (s Scope) Valid() bool { return slices.Contains(Scopes(), s) }

// ScopeID is one scope of one owner: the unit that a [Provider] keeps, that a
// limit bounds and that recall isolates. It is comparable and fit as a map key.
type ScopeID struct {
	Scope Scope
	// Owner tells scopes of the same kind apart. ScopeProject: the project's
	// root, an absolute clean path, or "" for the user's home project, which
	// takes the memories of directories that lie in no project. ScopeGlobal and
	// ScopeUser: the uid in decimal. ScopeSession, ScopeAgent: the id.
	Owner string
	// UID is the user on whose behalf the scope is kept.
	UID uint32
}
