package attest

import (
	"io"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// maxGitFile bounds what is read of git's one-line files.
const maxGitFile = 8 << 10

// gitRoot returns the project of a directory that has a `.git`: itself when that
// is a directory or a submodule's file, the main repository's working directory
// when it is a worktree's file. Junk is no project.
func gitRoot(dir string, st unix.Stat_t) (string, bool) {
	switch st.Mode & unix.S_IFMT {
	case unix.S_IFDIR:
		return dir, true
	case unix.S_IFREG:
		root := readGitFile(dir)
		return root, root != ""
	}
	return "", false
}

// readGitFile follows dir/.git (gitrepository-layout(5)): "gitdir: PATH". It is a mere
// claim, unless PATH is `worktrees/NAME` in the git directory of a repository, which
// knows of this worktree: `gitdir` there leads back to this path, and both are the same
// user's, since a repository knows worktrees that were removed, too. A submodule, or a
// repository kept elsewhere, is a project of its own. dir has no links in it.
func readGitFile(dir string) string {
	here := filepath.Join(dir, markerGit)
	gitdir, ok := namedBy(here)
	if !ok {
		return ""
	}
	gitdir, err := filepath.EvalSymlinks(resolve(dir, gitdir))
	trees := filepath.Dir(gitdir)
	if err != nil || filepath.Base(trees) != "worktrees" {
		return dir
	}
	there := filepath.Join(gitdir, "gitdir")
	back := readLine(there)
	back, err = filepath.EvalSymlinks(resolve(gitdir, back))
	if err != nil || back != here || ownerOf(there) != ownerOf(here) {
		return dir
	}
	return mainWorktree(dir, filepath.Dir(trees))
}

// mainWorktree returns the working directory of the repository whose git
// directory is common, or dir when it has none (a bare one).
func mainWorktree(dir, common string) string {
	parent := filepath.Dir(common)
	if filepath.Base(common) == markerGit {
		return parent
	}
	// A bare repository beside its worktrees, with a .git file that names it.
	gitdir, ok := namedBy(filepath.Join(parent, markerGit))
	if ok && sameFile(resolve(parent, gitdir), common) {
		return parent
	}
	return dir
}

// namedBy returns the directory that a `.git` file names.
func namedBy(file string) (gitdir string, ok bool) {
	gitdir, ok = strings.CutPrefix(readLine(file), "gitdir:")
	return strings.TrimSpace(gitdir), ok
}

// readLine reads a small file of one line, "" where it is none. It never blocks on
// what is not a file.
func readLine(path string) string {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return ""
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || !st.Mode().IsRegular() {
		return ""
	}
	raw, err := io.ReadAll(io.LimitReader(f, maxGitFile+1))
	line := strings.TrimRight(string(raw), "\r\n")
	if err != nil || len(raw) > maxGitFile || strings.ContainsAny(line, "\x00\n") {
		return ""
	}
	return line
}

func resolve(base, path string) string {
	if filepath.IsAbs(path) {
		return filepath.Clean(path)
	}
	return filepath.Join(base, path)
}

func ownerOf(path string) uint32 {
	var st unix.Stat_t
	_ = unix.Stat(path, &st) // it was read a moment ago
	return st.Uid
}

func sameFile(a, b string) bool {
	var x, y unix.Stat_t
	return unix.Stat(a, &x) == nil && unix.Stat(b, &y) == nil && x.Dev == y.Dev && x.Ino == y.Ino
}
