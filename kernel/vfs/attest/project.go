package attest

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// marker is a directory entry that makes the directory which holds it a project.
const (
	markerRnix = ".rnix"
	markerGit  = ".git"
)

// maxDepth bounds the walk up from a working directory: no path has more parts
// (PATH_MAX).
const maxDepth = 2048

// Project returns the root of the project that dir lies in: the nearest directory
// upwards with a `.rnix` directory or a `.git`. All worktrees of a git repository
// share its projects: in one of them, the place is that of the same name in the
// repository's main working directory. dir is an absolute path; ok is false when it
// lies in no project.
func Project(dir string) (root string, ok bool) {
	var a Attester
	return a.projectOf(dir, uint32(os.Geteuid()))
}

// projectOf is Project on behalf of a user: a marker that neither they nor root
// own, in a directory that everyone may write to, may be another user's trap (as in
// git's safe.directory, CVE-2022-24765) and is passed over.
func (a *Attester) projectOf(dir string, uid uint32) (root string, ok bool) {
	if !filepath.IsAbs(dir) || a.avoids(dir) {
		return "", false
	}
	dir = filepath.Clean(dir)
	for range maxDepth {
		if root == "" && hasMemory(dir, uid) {
			root = dir
		}
		var st unix.Stat_t
		if unix.Stat(filepath.Join(dir, markerGit), &st) == nil && !trap(dir, st.Uid, uid) {
			if main, ok := gitRoot(dir, st); ok {
				return inMain(main, dir, root, uid), true
			}
		}
		if dir == "/" {
			break
		}
		dir = filepath.Dir(dir)
	}
	return root, root != ""
}

// inMain returns the project in the main working directory for one in the worktree
// dir, or "" for none: a folder checked out there is the same memory as main's, not a
// second one. A project that main has not stays where it is.
func inMain(main, dir, root string, uid uint32) string {
	below := strings.TrimPrefix(root, dir)
	if root == "" || below == "" {
		return main
	}
	if twin := filepath.Join(main, below); hasMemory(twin, uid) {
		return twin
	}
	return root
}

// hasMemory reports whether a directory has a folder that makes it a project.
func hasMemory(dir string, uid uint32) bool {
	var st unix.Stat_t
	return unix.Stat(filepath.Join(dir, markerRnix), &st) == nil && isDir(st) && !trap(dir, st.Uid, uid)
}

func isDir(st unix.Stat_t) bool { return st.Mode&unix.S_IFMT == unix.S_IFDIR }

// trap reports whether a marker could have been laid by anyone.
func trap(dir string, owner, uid uint32) bool {
	if owner == uid || owner == 0 {
		return false
	}
	var st unix.Stat_t
	return unix.Stat(dir, &st) != nil || st.Mode&unix.S_IWOTH != 0
}
