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
// own, in a directory that everyone may write to, is someone else's trap (as in
// git's safe.directory, CVE-2022-24765) and is passed over.
func (a *Attester) projectOf(dir string, uid uint32) (string, bool) {
	if !filepath.IsAbs(dir) || a.avoids(dir) {
		return "", false
	}
	dir = filepath.Clean(dir)
	buf := make([]byte, 0, len(dir)+8)
	for range maxDepth {
		prefix := append(buf[:0], dir...)
		if dir != "/" {
			prefix = append(prefix, '/')
		}
		var st unix.Stat_t
		if statInto(append(prefix, markerRnix...), &st) && isDir(st) && !trap(dir, st.Uid, uid) {
			return dir, true
		}
		if statInto(append(prefix, markerGit...), &st) && !trap(dir, st.Uid, uid) {
			if root, ok := a.gitRoot(dir, st); ok {
				return root, true
			}
		}
		if dir == "/" {
			return "", false
		}
		dir = dir[:max(strings.LastIndexByte(dir, '/'), 1)]
	}
	return "", false
}

// Avoid names a directory that is never looked into: the mount that this process
// serves, where a lookup would wait for the process itself.
func (a *Attester) Avoid(dir string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	next := []string{filepath.Clean(dir)}
	if old := a.avoid.Load(); old != nil {
		next = append(next, *old...)
	}
	a.avoid.Store(&next)
}

func (a *Attester) avoids(dir string) bool {
	dirs := a.avoid.Load()
	if dirs == nil {
		return false
	}
	for _, d := range *dirs {
		if rest, ok := strings.CutPrefix(dir, d); ok && (rest == "" || rest[0] == '/') {
			return true
		}
	}
	return false
}

func statInto(path []byte, st *unix.Stat_t) bool {
	return unix.Stat(string(path), st) == nil
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
