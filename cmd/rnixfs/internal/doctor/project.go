package doctor

import (
	"os"
	"path/filepath"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
)

// project tells of a project inside another whose memory it hides: a new .rnix makes
// a project of its own of the folder that it is in.
func (r *report) project() {
	cwd, err := os.Getwd()
	if err != nil {
		return
	}
	root, ok := paths.Project(cwd)
	if !ok || root == "/" {
		return
	}
	for at := cwd; at != root && at != "/"; at = filepath.Dir(at) {
		unread := filepath.Join(at, ".rnix", "memory")
		if own, _ := paths.Project(at); own == root && paths.IsFolder(unread) {
			r.ok("project", root+", as of all its worktrees; not read here: "+unread)
			return
		}
	}
	outer, ok := paths.Project(filepath.Dir(root))
	if memory := filepath.Join(outer, ".rnix", "memory"); ok && paths.IsFolder(memory) {
		r.warn("project", root+" is a project of its own: here, the memory of "+outer+" is hidden", "if that is not meant, move the entries in "+filepath.Join(root, ".rnix", "memory")+" to "+memory+", and remove that .rnix")
		return
	}
	r.ok("project", root)
}
