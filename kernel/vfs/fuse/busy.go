package fuse

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// maxHolders is how many users of a busy mount an error names.
const maxHolders = 8

// errBusy says who keeps a mount from being taken off, and what to do.
func errBusy(point string) error {
	who := holders(point)
	text := "a process that can't be seen from here"
	if n := len(who); n > maxHolders {
		text = strings.Join(who[:maxHolders], ", ") + fmt.Sprintf(" and %d more", n-maxHolders)
	} else if n > 0 {
		text = strings.Join(who, ", ")
	}
	return memory.Errorf(memory.KindConflict, "unmount",
		"%s is in use by %s; end them, leave the directory, or detach it (umount --lazy)", point, text)
}

// holders lists the processes with a working directory, a root or an open file
// under the mountpoint, as far as they may be looked into. It reads links only,
// which does not touch the mount.
func holders(point string) []string {
	var found []string
	for _, pid := range others() { // whoever asks may have inherited a descriptor
		if how := holds(pid, point); how != "" {
			found = append(found, fmt.Sprintf("%s (pid %d, %s)", command(pid), pid, how))
		}
	}
	return found
}

// others are the processes that are seen besides this one.
func others() (pids []int) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return nil
	}
	for _, e := range procs {
		if pid, err := strconv.Atoi(e.Name()); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func holds(pid int, point string) string {
	proc := "/proc/" + strconv.Itoa(pid)
	for _, link := range []string{"cwd", "root"} {
		if at, err := os.Readlink(proc + "/" + link); err == nil && within(at, point) {
			return map[string]string{"cwd": "working directory", "root": "root directory"}[link]
		}
	}
	fds, err := os.ReadDir(proc + "/fd")
	if err != nil {
		return ""
	}
	for _, fd := range fds {
		if at, err := os.Readlink(proc + "/fd/" + fd.Name()); err == nil && within(at, point) {
			return filepath.Base(at) + " open"
		}
	}
	return ""
}

func within(path, point string) bool {
	rest, ok := strings.CutPrefix(path, point)
	return ok && (rest == "" || rest[0] == '/')
}

func command(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(string(raw))
}
