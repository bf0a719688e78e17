package fuse

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

const (
	sourceName = "rnixfs"    // the mount's source, first column of df
	subtype    = "rnix"      // fuse.<subtype>
	fsType     = "fuse.rnix" // in mountinfo
)

// Around returns the mountpoint of the rnixfs that contains a directory, links
// followed, or "". A mountpoint does not contain itself.
func Around(dir string) (string, error) {
	point, err := clean(dir)
	if err != nil {
		return "", err
	}
	if to, err := filepath.EvalSymlinks(point); err == nil {
		point = to
	}
	if m, err := holding(point, false); err != nil || m.FSType == fsType {
		return m.Point, err
	}
	return "", nil
}

// holding returns the mount that a path is in, also one at the path itself if that counts.
func holding(point string, itself bool) (on attest.Mount, err error) {
	all, err := attest.Mounts("self")
	for _, m := range all {
		// Later lines lie on top.
		if (itself || m.Point != point) && len(m.Point) >= len(on.Point) && (m.Point == "/" || within(point, m.Point)) {
			on = m
		}
	}
	return on, err
}

// IsShared reports whether what is mounted in a directory is mounted in the copies of it
// that other mount namespaces have (mount_namespaces(7), "MS_SHARED").
func IsShared(dir string) (bool, error) {
	point, err := clean(dir)
	on, terr := holding(point, true)
	return on.Shared, errors.Join(err, terr)
}

// Copied reports whether the copy of a mount that a container has is one by itself, or a
// part: what is mounted at the same place once its server has ended never shows in it.
func Copied(mountpoint string) bool {
	point, err := clean(mountpoint)
	if err != nil {
		return false
	}
	top, ok, err := mounted(point)
	if err != nil || !ok || top.FSType != fsType {
		return false
	}
	all, _ := attest.Mounts("self") // it was just read
	follows := slices.ContainsFunc(all, func(m attest.Mount) bool { return m.ID == top.Parent && (m.Slave || m.Shared) })
	return top.Root != "/" || !follows
}

// mounted returns the topmost mount at exactly this path.
func mounted(point string) (top attest.Mount, ok bool, err error) {
	all, err := attest.Mounts("self")
	for _, m := range all {
		if m.Point == point {
			top, ok = m, true // later lines lie on top
		}
	}
	return top, ok, err
}

// maxLinks is how many links a mountpoint may lead through, as for the kernel
// (path_resolution(7)).
const maxLinks = 40

// clean makes a mountpoint absolute and resolves its links. The last name may be a mount
// that does not answer: readlink(2) does not ask it.
func clean(mountpoint string) (string, error) {
	at, err := filepath.Abs(mountpoint)
	if err != nil {
		return "", memory.Errorf(memory.KindInvalid, "look at mountpoint", "%w", err)
	}
	for range maxLinks {
		parent, err := filepath.EvalSymlinks(filepath.Dir(at))
		if err != nil {
			break // the caller's next system call says what is missing
		}
		at = filepath.Join(parent, filepath.Base(at))
		to, err := os.Readlink(at)
		if err != nil {
			break
		}
		if at = to; !filepath.IsAbs(to) {
			at = filepath.Join(parent, to)
		}
	}
	return at, nil
}

// within reports whether a path is the mountpoint or lies below it.
func within(path, point string) bool {
	rest, ok := strings.CutPrefix(path, point)
	return ok && (rest == "" || rest[0] == '/')
}
