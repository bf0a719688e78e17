package config

import (
	"path/filepath"
	"slices"
)

// fileName is the name of a configuration file, wherever it is.
const fileName = "memory.yaml"

// Sources says where to look for files. Empty fields are places that are not
// looked at.
type Sources struct {
	Explicit string // the file of --config: it alone counts, and it must exist
	UserDir  string // $XDG_CONFIG_HOME/rnix; see [UserDir]
	Project  string // the root of the project
	WorkDir  string // the working directory
	UID      uint32 // whose files count besides those of this process's user and of root
}

// UserDir returns the user's configuration folder, rnix in $XDG_CONFIG_HOME or
// ~/.config, or "" when neither is known. As the XDG Base Directory
// Specification demands, a relative $XDG_CONFIG_HOME is ignored.
func UserDir(getenv func(string) string) string {
	if dir := getenv("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "rnix")
	}
	if home := getenv("HOME"); filepath.IsAbs(home) {
		return filepath.Join(home, ".config", "rnix")
	}
	return ""
}

// Paths returns the files that are read where they exist, the least specific
// first: each is laid over the ones before it.
func (s Sources) Paths() []string {
	if s.Explicit != "" {
		return []string{s.Explicit}
	}
	var paths []string
	add := func(dir string, more ...string) {
		path := filepath.Join(append(append([]string{dir}, more...), fileName)...)
		if dir != "" && !slices.Contains(paths, path) {
			paths = append(paths, path)
		}
	}
	add(s.UserDir)
	add(s.Project, ".rnix")
	add(s.WorkDir)
	return paths
}

// mine reports whether a file is the user's own, or named by hand. Any other is a
// project's, which somebody else may have written.
func (s Sources) mine(path string) bool {
	return path == s.Explicit || s.UserDir != "" && path == filepath.Join(s.UserDir, fileName)
}
