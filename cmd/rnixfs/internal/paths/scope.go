package paths

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// scopesName holds a folder for each scope that has none of its own.
const scopesName = "scopes"

// Folder is where the files of a scope live, which has that kind of owner.
func (p Paths) Folder(id memory.ScopeID, owner memory.Owner) (string, error) {
	config, scope := of(p.Config, id.UID), string(id.Scope)
	switch {
	case id.Scope == memory.ScopeGlobal:
		return filepath.Join(config, "memory"), nil
	case id.Scope == memory.ScopeUser:
		return filepath.Join(config, "memory", "profile"), nil
	case owner == memory.OwnerUser:
		return filepath.Join(config, scopesName, scope), nil
	case owner != memory.OwnerProject:
		return filepath.Join(config, scopesName, scope, id.Owner), nil
	}
	parts := []string{"memory"}
	if id.Scope != memory.ScopeProject {
		parts = []string{scopesName, scope}
	}
	if id.Owner == "" {
		return filepath.Join(append([]string{of(p.Data, id.UID), "home"}, parts...)...), nil
	}
	parts = append([]string{".rnix"}, parts...)
	return filepath.Join(append([]string{id.Owner}, parts...)...), projectAccess(id, parts)
}

// projectAccess lets a user reach the memory of a project through somebody
// else's mount only where the project is that user's own, links excluded: the
// daemon writes with its own rights, not the caller's.
//
// Nobody's .rnix may be a link: a repository that was cloned can carry a link, and
// a caller in it would read and write another project's memory.
func projectAccess(id memory.ScopeID, parts []string) error {
	mine := int(id.UID) == os.Getuid()
	for i := range len(parts) + 1 {
		name := filepath.Join(parts[:i]...)
		fi, err := os.Lstat(filepath.Join(id.Owner, name))
		switch {
		case name == "" && (errors.Is(err, os.ErrNotExist) || err == nil && !IsFolder(id.Owner)):
			return memory.Errorf(memory.KindUnavailable, "open", "the project's directory is gone: %q; its memory works again when it is back", id.Owner)
		case name != "" && errors.Is(err, os.ErrNotExist):
			return nil // nor is there anything in it
		case err != nil && !mine:
			return memory.Errorf(memory.KindDenied, "open", "the project can't be examined")
		case err != nil:
			return nil // opening it will say what is wrong
		case name != "" && !fi.IsDir():
			return memory.Errorf(memory.KindDenied, "open", "%s of this project is not a folder; links are not followed", name)
		}
		if st, ok := fi.Sys().(*syscall.Stat_t); !mine && (!ok || !fi.IsDir() || st.Uid != id.UID) {
			return memory.Errorf(memory.KindDenied, "open", "the project does not belong to this user")
		}
	}
	return nil
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}
