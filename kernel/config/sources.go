package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// fileName is the name of a configuration file, wherever it is.
const fileName = "memory.yaml"

// Sources says where to look for files. Empty fields are places that are not
// looked at.
type Sources struct {
	Explicit string // the file of --config: it alone counts, and it must exist
	UserDir  string // $XDG_CONFIG_HOME/rnix
	Project  string // the root of the project
	WorkDir  string // the working directory
	UID      uint32 // whose files count besides those of this process's user and of root
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

// read returns what is in the file, or the beginning of what is too long. Its
// errors do not name the path. A missing file is fs.ErrNotExist.
func (s Sources) read(path string) ([]byte, error) {
	// O_NONBLOCK: opening a FIFO must not wait for a writer, open(2).
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, syscall.ENOTDIR) {
		return nil, fs.ErrNotExist // a parent is no folder: then neither is there a file
	}
	if err != nil {
		return nil, fmt.Errorf("cannot be opened: %w", cause(err))
	}
	defer func() { _ = f.Close() }() // nothing was written
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	case !info.Mode().IsRegular():
		return nil, errors.New("is not a regular file")
	case s.Explicit == "" && !trusted(info, os.Geteuid(), int(s.UID)):
		return nil, errors.New("could have been written by another user; chown or chmod it, or name it with --config")
	}
	data, err := io.ReadAll(io.LimitReader(f, maxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", cause(err))
	}
	return data, nil
}

// cause strips the path, which stands before the message already.
func cause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// trusted reports whether only one of the users or root can have written the file.
// Groups are let pass: many systems give each user a group of their own, and a
// umask of 002.
func trusted(info fs.FileInfo, uids ...int) bool {
	owner := uids[0]
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		owner = int(st.Uid)
	}
	return (slices.Contains(uids, owner) || owner == 0) && info.Mode().Perm()&0o002 == 0
}
