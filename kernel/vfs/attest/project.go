package attest

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// marker is a directory entry that makes the directory which holds it a project.
const (
	markerRnix = ".rnix"
	markerGit  = ".git"
)

// maxDepth bounds the walk up from a working directory.
const maxDepth = 128

// Project returns the root of the project that dir lies in: the nearest directory
// upwards with a `.rnix` directory or a `.git`. A git worktree's `.git` file leads
// to the working directory of its main repository, so that all worktrees share
// one project. dir is an absolute path; ok is false when it lies in no project.
func Project(dir string) (root string, ok bool) {
	var a Attester
	return a.projectOf(dir, uint32(os.Geteuid()))
}

// projectOf is Project on behalf of a user: a marker that neither they nor root
// own, in a directory that everyone may write to, may be another user's trap (as in
// git's safe.directory, CVE-2022-24765) and is passed over.
func (a *Attester) projectOf(dir string, uid uint32) (string, bool) {
	if !filepath.IsAbs(dir) || a.avoids(dir) {
		return "", false
	}
	dir = filepath.Clean(dir)
	for range maxDepth {
		var st unix.Stat_t
		if unix.Stat(filepath.Join(dir, markerRnix), &st) == nil && isDir(st) && !trap(dir, st.Uid, uid) {
			return dir, true
		}
		if unix.Stat(filepath.Join(dir, markerGit), &st) == nil && !trap(dir, st.Uid, uid) {
			if root, ok := gitRoot(dir, st); ok {
				return root, true
			}
		}
		if dir == "/" {
			break
		}
		dir = filepath.Dir(dir)
	}
	return "", false
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
