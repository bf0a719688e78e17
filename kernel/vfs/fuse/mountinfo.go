package fuse

import (
	"os"
	"path/filepath"
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
	dev    string // major:minor, which no other mounted file system has
	point  string
	fsType string
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
	return mountInfo{dev: l[2], point: unescape(l[4]), fsType: r[0]}, true
}

// unescape undoes the octal escapes of blanks, tabs, newlines and backslashes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}

// clean makes a mountpoint absolute and resolves the links above its last name, but
// not the name itself, which may be a mount that does not answer.
func clean(mountpoint string) (string, error) {
	abs, err := filepath.Abs(mountpoint)
	if err != nil {
		return "", memory.Errorf(memory.KindInvalid, "look at mountpoint", "%w", err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return abs, nil // the caller's next system call says what is missing
	}
	return filepath.Join(parent, filepath.Base(abs)), nil
}

// within reports whether a path is the mountpoint or lies below it.
func within(path, point string) bool {
	rest, ok := strings.CutPrefix(path, point)
	return ok && (rest == "" || rest[0] == '/')
}
