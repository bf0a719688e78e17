package paths

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Folder is where the files of a scope live.
func (p Paths) Folder(id memory.ScopeID) (string, error) {
	switch id.Scope {
	case memory.ScopeGlobal:
		return filepath.Join(of(p.Config, id.UID), "memory"), nil
	case memory.ScopeUser:
		return filepath.Join(of(p.Config, id.UID), "memory", "profile"), nil
	case memory.ScopeProject:
		if id.Owner != "" {
			return filepath.Join(id.Owner, ".rnix", "memory"), projectAccess(id)
		}
		return filepath.Join(of(p.Data, id.UID), "home", "memory"), nil
	}
	return "", memory.Errorf(memory.KindInvalid, "open", "the scope %q keeps no files", string(id.Scope))
}

// projectAccess lets a user reach the memory of a project through somebody
// else's mount only where the project is that user's own, links excluded: the
// daemon writes with its own rights, not the caller's.
//
// Nobody's .rnix may be a link: a repository that was cloned can carry a link, and
// a caller in it would read and write another project's memory.
func projectAccess(id memory.ScopeID) error {
	mine := int(id.UID) == os.Getuid()
	for _, name := range []string{"", ".rnix", ".rnix/memory"} {
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
