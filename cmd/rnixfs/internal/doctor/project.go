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
	outer, ok := paths.Project(filepath.Dir(root))
	if memory := filepath.Join(outer, ".rnix", "memory"); ok && paths.IsFolder(memory) {
		r.warn("project", root+" is a project of its own: here, the memory of "+outer+" is hidden", "if that is not meant, move the entries in "+filepath.Join(root, ".rnix", "memory")+" to "+memory+", and remove that .rnix")
		return
	}
	r.ok("project", root)
}
