package memory

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Scope says whose memory an entry belongs to. Its [Policy] has its limits, its
// owner and its lifetime. Its values are the protocol's targets.
type Scope string

// The scopes that are always there. A configuration can add others.
const (
	ScopeProject Scope = "memory"        // the project of the caller's working directory
	ScopeGlobal  Scope = "global_memory" // all projects of the user
	ScopeUser    Scope = "user"          // who the user is: the profile
	ScopeSession Scope = "session"       // facts of one session, in RAM
	ScopeAgent   Scope = "agent"         // one kind of agent
)

// Valid reports whether s can be the name of a scope: it names a folder.
func (s Scope) Valid() bool {
	return s != "" && len(s) <= 40 && s[0] >= 'a' && s[0] <= 'z' && !strings.ContainsFunc(string(s), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_' && r != '-'
	})
}

// Folder tells directories apart that have, or had, the same path: in a container, or
// before they were exchanged.
type Folder struct{ Dev, Ino uint64 }

// ScopeID is one scope of one owner: the unit that a [Provider] keeps, that a
// limit bounds and that recall isolates. It is comparable and fit as a map key.
type ScopeID struct {
	Scope Scope
	// Owner tells scopes of the same kind apart, by the kind of owner that the
	// policy names. A project: its root, an absolute clean path, or "" for the
	// user's home project, which takes the memories of directories that lie in no
	// project. A user: the uid in decimal. A session, an agent: its id.
	Owner string
	// Folder is which directory a project's root was when it was found; zero: not known.
	Folder Folder
	// UID is the user on whose behalf the scope is kept.
	UID uint32
}

// Resolve says which scope a caller means by its name: whose it is. The policy is
// the scope's.
func Resolve(caller Caller, scope Scope, policy Policy) (id ScopeID, err error) {
	id = ScopeID{Scope: scope, UID: caller.UID}
	switch policy.Owner {
	case OwnerProject:
		id.Owner, err = caller.In()
		id.Folder = caller.Folder
		return id, err
	case OwnerUser:
		id.Owner = strconv.FormatUint(uint64(caller.UID), 10)
		return id, nil
	case OwnerSession:
		if id.Owner = caller.Session; id.Owner == "" {
			id.Owner = caller.Leader
		}
	case OwnerAgent:
		if id.Owner = caller.Agent; id.Owner == "" && caller.Exe != "" {
			id.Owner = strings.TrimSuffix(filepath.Base(caller.Exe), " (deleted)")
		}
	}
	switch {
	case id.Owner == "":
		return id, Errorf(KindInvalid, "resolve", "which %s: it could not be found out; use a tree s/<id>/, or name the agent", policy.Owner)
	case !validOwner(id.Owner):
		return id, Errorf(KindInvalid, "resolve", "the name of the %s has other characters than letters, digits, '.', '_' and '-', or is longer than 64", policy.Owner)
	}
	return id, nil
}

// validOwner reports whether a name can be a folder's. The dot can't come first.
func validOwner(s string) bool {
	return len(s) <= 64 && s[0] != '.' && !slices.ContainsFunc([]byte(s), func(c byte) bool {
		return (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '.' && c != '_' && c != '-'
	})
}
