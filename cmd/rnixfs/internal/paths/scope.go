package paths

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path/filepath"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// scopesName holds a folder for each scope that has none of its own.
const scopesName = "scopes"

// Vectors is the file of the vectors of a scope: a cache.
func (p Paths) Vectors(id memory.ScopeID) string {
	return filepath.Join(of(p.Data, id.UID), "meaning", fmt.Sprintf("%.16x", sha256.Sum256(fmt.Appendf(nil, "%s %q", id.Scope, id.Owner))))
}

// Folder is where the files of a scope live, which has that kind of owner.
func (p Paths) Folder(id memory.ScopeID, owner memory.Owner) string {
	config, scope := of(p.Config, id.UID), string(id.Scope)
	switch {
	case id.Scope == memory.ScopeGlobal:
		return filepath.Join(config, "memory")
	case id.Scope == memory.ScopeUser:
		return filepath.Join(config, "memory", "profile")
	case owner == memory.OwnerUser:
		return filepath.Join(config, scopesName, scope)
	case owner != memory.OwnerProject:
		return filepath.Join(config, scopesName, scope, id.Owner)
	}
	parts := []string{"memory"}
	if id.Scope != memory.ScopeProject {
		parts = []string{scopesName, scope}
	}
	if id.Owner == "" {
		return filepath.Join(append([]string{of(p.Data, id.UID), "home"}, parts...)...)
	}
	parts = append([]string{".rnix"}, parts...)
	return filepath.Join(append([]string{id.Owner}, parts...)...)
}

// IsFolder reports whether a path leads to a folder.
func IsFolder(path string) bool {
	fi, err := os.Stat(path)
	return err == nil && fi.IsDir()
}
