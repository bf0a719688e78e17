package fuse

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const (
	sourceName = "rnixfs"    // the mount's source, first column of df
	subtype    = "rnix"      // fuse.<subtype>
	fsType     = "fuse.rnix" // in mountinfo
)

// mountInfo is one line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mountInfo struct {
	id, parent string
	dev        string // major:minor, which no other mounted file system has
	root       string // what of the file system is mounted: "/" is all of it
	point      string
	shared     bool // what is mounted in it is mounted in its copies, too
	slave      bool // it is a copy, in which is mounted what is mounted in the other
	fsType     string
}

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
	all, err := mountTable()
	var nearest mountInfo
	for _, m := range all {
		// Later lines lie on top.
		if m.point != point && len(m.point) >= len(nearest.point) && (m.point == "/" || within(point, m.point)) {
			nearest = m
		}
	}
	if err != nil || nearest.fsType != fsType {
		return "", err
	}
	return nearest.point, nil
}

// IsShared reports whether what is mounted in a directory is mounted in the copies of it
// that other mount namespaces have (mount_namespaces(7), "MS_SHARED").
func IsShared(dir string) (bool, error) {
	point, err := clean(dir)
	all, terr := mountTable()
	var on mountInfo
	for _, m := range all {
		if len(m.point) >= len(on.point) && (m.point == "/" || within(point, m.point)) {
			on = m
		}
	}
	return on.shared, errors.Join(err, terr)
}

// Copied reports whether the copy of a mount that a container has is one by itself, or a
// part: what is mounted at the same place once its server has ended never shows in it.
func Copied(mountpoint string) bool {
	point, err := clean(mountpoint)
	if err != nil {
		return false
	}
	top, ok, err := mounted(point)
	if err != nil || !ok || top.fsType != fsType {
		return false
	}
	all, _ := mountTable() // it was just read
	follows := slices.ContainsFunc(all, func(m mountInfo) bool { return m.id == top.parent && (m.slave || m.shared) })
	return top.root != "/" || !follows
}

// mounted returns the topmost mount at exactly this path.
func mounted(point string) (top mountInfo, ok bool, err error) {
	all, err := mountTable()
	for _, m := range all {
		if m.point == point {
			top, ok = m, true // later lines lie on top
		}
	}
	return top, ok, err
}

func mountTable() ([]mountInfo, error) {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, "read mounts", "%w", err)
	}
	var all []mountInfo
	for line := range strings.Lines(string(raw)) {
		if m, ok := parseMountInfo(line); ok {
			all = append(all, m)
		}
	}
	return all, nil
}

// parseMountInfo parses "36 35 98:0 /root /point rw,noatime master:1 - type src opts".
func parseMountInfo(line string) (mountInfo, bool) {
	left, right, ok := strings.Cut(line, " - ")
	l, r := strings.Fields(left), strings.Fields(right)
	if !ok || len(l) < 6 || len(r) < 1 {
		return mountInfo{}, false
	}
	m := mountInfo{id: l[0], parent: l[1], dev: l[2], root: unescape(l[3]), point: unescape(l[4]), fsType: r[0]}
	for _, tag := range l[6:] {
		m.shared = m.shared || strings.HasPrefix(tag, "shared:")
		m.slave = m.slave || strings.HasPrefix(tag, "master:")
	}
	return m, true
}

// unescape undoes the octal escapes of blanks, tabs, newlines and backslashes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
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
