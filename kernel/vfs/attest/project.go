package attest

import (
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
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
	root, _, _ = a.projectOf(dir, uint32(os.Geteuid()), view{-1})
	return root, root != ""
}

// Within is Project, and which directory the root is: the one that a caller sees there, or
// below whose bind it sees dir, where dir is a path of a container's. ok is false where
// the caller sees another one.
func Within(c memory.Caller, dir string) (root string, f memory.Folder, ok bool) {
	if dir = filepath.Clean(dir); !filepath.IsAbs(dir) {
		return "", f, false
	}
	if folderOf(unix.AT_FDCWD, dir) != (memory.Folder{}) {
		root, ok = Project(dir)
		f = folderOf(unix.AT_FDCWD, root)
	}
	if c.PID == 0 {
		return root, f, ok
	}
	const plain = unix.RESOLVE_NO_SYMLINKS // a link there would lead from the root of this process
	top := openat(unix.AT_FDCWD, procPath(c.PID, "root"), 0)
	defer top.close()
	if ok {
		seen := openat(top.fd, "."+root, plain)
		defer seen.close()
		if f != (memory.Folder{}) && f == folderOf(seen.fd, ".") {
			return root, f, true
		}
	}
	seen := openat(top.fd, "."+dir, plain)
	defer seen.close()
	var a Attester
	host, at, own := a.bound(c.PID, seen)
	defer at.close()
	if host == "" || own {
		return "", f, false
	}
	root, f, ok = a.projectOf(host, c.UID, at)
	return root, f, ok && root != ""
}

// Known is which directory the root of a project is now, for those who know it by name
// alone. Errors: KindUnavailable, where there is none; KindDenied, where another user may
// have put it there.
func Known(root string, uid uint32) (f memory.Folder, err error) {
	if f = folderOf(unix.AT_FDCWD, root); f == (memory.Folder{}) {
		return f, memory.Errorf(memory.KindUnavailable, "open", "the project's directory is gone: %q; its memory works again when it is back", root)
	}
	if uid != 0 && trap(filepath.Dir(root), ownerOf(root), uid) {
		return f, memory.Errorf(memory.KindDenied, "open", "the project does not belong to this user")
	}
	return f, nil
}

// projectOf is Project on behalf of a user: a marker that neither they nor root
// own, in a directory that everyone may write to, may be another user's trap (as in
// git's safe.directory, CVE-2022-24765) and is passed over. The project is the one that
// the process of the view sees; same is false where there is another one here, or none.
func (a *Attester) projectOf(dir string, uid uint32, v view) (root string, f memory.Folder, same bool) {
	if !filepath.IsAbs(dir) || a.Avoids(dir) {
		return "", f, true
	}
	dir = filepath.Clean(dir)
	for up := range maxDepth {
		var here, there memory.Folder
		if root == "" {
			here, there = v.look(dir, up)
			if here != there && (marked(unix.AT_FDCWD, dir) || a.serves(there) || marked(v.fd, above(up))) {
				return "", f, false
			}
			if hasMemory(dir, uid) {
				root, f = dir, here
			}
		}
		var st unix.Stat_t
		if unix.Stat(filepath.Join(dir, markerGit), &st) == nil && !trap(dir, st.Uid, uid) {
			if main, ok := gitRoot(dir, st); ok {
				if to := inMain(main, dir, root, uid); to == dir && root == "" {
					root, f = dir, here
				} else if to != root { // what another directory's git says of it
					root, f = to, folderOf(unix.AT_FDCWD, to)
				}
				break
			}
		}
		if dir == "/" {
			break
		}
		dir = filepath.Dir(dir)
	}
	return root, f, true
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
