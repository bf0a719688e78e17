package fuse

import (
	"bufio"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// State is what is mounted at a directory.
type State int

// The states of a mountpoint.
const (
	StateNone    State = iota // nothing is mounted exactly there
	StateLive                 // an rnixfs whose server lives
	StateStale                // an rnixfs whose server died: ENOTCONN
	StateForeign              // another file system
	StateSilent               // an rnixfs that does not answer: its server may be stopped
)

// String returns none, live, stale, foreign or silent.
func (s State) String() string {
	return [...]string{"none", "live", "stale", "foreign", "silent"}[s]
}

// Served reports whether an rnixfs is mounted that has a server, also one that does
// not answer now.
func (s State) Served() bool { return s == StateLive || s == StateSilent }

const (
	sourceName = "rnixfs"    // the mount's source, first column of df
	subtype    = "rnix"      // fuse.<subtype>
	fsType     = "fuse.rnix" // in mountinfo
)

// mountInfo is one line of /proc/self/mountinfo (proc_pid_mountinfo(5)).
type mountInfo struct {
	id     int
	dev    string // major:minor, which no other mounted file system has
	point  string
	fsType string
}

// mine are the devices of the mounts that this process serves: asking them
// anything would be asking ourselves.
var mine sync.Map // dev -> *Server

// MountState reports what is mounted at a directory, from /proc/self/mountinfo
// and statfs(2). It does not touch a mount that this very process serves.
func MountState(mountpoint string) (State, error) {
	point, err := clean(mountpoint)
	if err != nil {
		return StateNone, err
	}
	top, ok, err := mounted(point)
	switch {
	case err != nil:
		return StateNone, err
	case !ok:
		return StateNone, nil
	case top.fsType != fsType:
		return StateForeign, nil
	}
	if _, ok := mine.Load(top.dev); ok {
		return StateLive, nil
	}
	err = statfs(point)
	switch {
	case err == nil, errors.Is(err, unix.EACCES): // one that doesn't answer us lives
		return StateLive, nil
	case errors.Is(err, unix.ETIMEDOUT):
		return StateSilent, nil
	case errors.Is(err, unix.ENOTCONN), errors.Is(err, unix.ECONNABORTED):
		return StateStale, nil
	default:
		return StateNone, memory.Errorf(memory.KindInternal, "look at mountpoint", "statfs %s: %w", point, err)
	}
}

// statfsPatience bounds the question to a server that may be stopped.
const statfsPatience = 2 * time.Second

func statfs(point string) error {
	ctx, cancel := context.WithTimeoutCause(context.Background(), statfsPatience, unix.ETIMEDOUT)
	defer cancel()
	_, err := Await(ctx, Patience{}, func() (st unix.Statfs_t, err error) { return st, unix.Statfs(point, &st) })
	return err
}

// clean makes a mountpoint absolute and resolves the links above its last name;
// not the name itself, which may be a mount that does not answer.
func clean(mountpoint string) (string, error) {
	abs, err := filepath.Abs(mountpoint)
	if err != nil {
		return "", memory.Errorf(memory.KindInvalid, "look at mountpoint", "%w", err)
	}
	parent, err := filepath.EvalSymlinks(filepath.Dir(abs))
	if err != nil {
		return abs, nil // whoever uses it will say what is missing
	}
	return filepath.Join(parent, filepath.Base(abs)), nil
}

// Around returns the mountpoint of the rnixfs that a directory lies in, links
// followed, or "". A mountpoint itself lies in none but one around it.
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
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return nil, memory.Errorf(memory.KindInternal, "read mounts", "%w", err)
	}
	defer f.Close()
	var all []mountInfo
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for sc.Scan() {
		if m, ok := parseMountInfo(sc.Text()); ok {
			all = append(all, m)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, memory.Errorf(memory.KindInternal, "read mounts", "%w", err)
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
	id, err := strconv.Atoi(l[0])
	if err != nil {
		return mountInfo{}, false
	}
	return mountInfo{id: id, dev: l[2], point: unescape(l[4]), fsType: r[0]}, true
}

// unescape undoes the octal escapes of blanks, tabs, newlines and backslashes.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	return strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`).Replace(s)
}
