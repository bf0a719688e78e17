package fuse

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// maxHolders is how many processes an error names that use a busy mount.
const maxHolders = 8

// errBusy says which processes keep a mount from being taken off, and what to do.
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
// below the mountpoint, as far as this process may look into them. It reads links
// only, which does not touch the mount.
func holders(point string) []string {
	var found []string
	for _, pid := range others() { // this process may have inherited a descriptor
		if how := holds(pid, point); how != "" {
			found = append(found, fmt.Sprintf("%s (pid %d, %s)", command(pid), pid, how))
		}
	}
	return found
}

// others returns the processes that can be seen besides this one.
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

func command(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/comm")
	if err != nil {
		return "?"
	}
	return strings.TrimSpace(string(raw))
}

// Silent returns the error of a mount whose server does not answer, of the kind
// timeout, and what to do about it. Both name the server's process if it can be seen.
// It does not touch the mount.
func Silent(mountpoint string) (why *memory.Error, mend string) {
	point, err := clean(mountpoint)
	if err != nil {
		point = mountpoint
	}
	who, mend := "its process may be stopped", "let its process go on (kill -CONT) or end it"
	if pid := serverOf(point); pid != 0 {
		how := "may be"
		if attest.Stopped(pid) {
			how = "is"
		}
		who = fmt.Sprintf("its process %d %s stopped", pid, how)
		mend = fmt.Sprintf("let its process go on (kill -CONT %d) or end it (kill -9 %d)", pid, pid)
	}
	return memory.Errorf(memory.KindTimeout, "", "the mount at %s does not answer (%s)", point, who),
		mend + ", or take the mount off: rnixfs umount --lazy " + point
}

// near reports whether a process is in this mount namespace: one in a container may
// serve a mountpoint of the same name there.
func near(pid int) bool {
	own, err := os.Readlink("/proc/self/ns/mnt")
	its, ierr := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/mnt")
	return err == nil && ierr == nil && own == its
}

// serverOf returns the process that serves a mountpoint: it has a FUSE device, and
// names the mountpoint as its last argument, as a mount in the background does. It
// returns 0 if no process or several look like that.
func serverOf(point string) int {
	found := 0
	for _, pid := range others() {
		// The device first: to look at the arguments follows paths, also into mounts that
		// do not answer.
		if len(devices(strconv.Itoa(pid))) == 0 || lastArgument(pid) != point {
			continue
		}
		if found != 0 {
			return 0
		}
		found = pid
	}
	return found
}

// lastArgument returns the last argument of a process as a clean path. A relative one
// is taken from its working directory.
func lastArgument(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	args := strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
	last := args[len(args)-1]
	if last == "" {
		return ""
	}
	if !filepath.IsAbs(last) {
		cwd, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/cwd")
		if err != nil {
			return ""
		}
		last = filepath.Join(cwd, last)
	}
	point, err := clean(last)
	if err != nil {
		return ""
	}
	return point
}

// devices returns the descriptors of /dev/fuse of a process, a pid or "self".
func devices(process string) map[int]bool {
	found, dir := map[int]bool{}, filepath.Join("/proc", process, "fd")
	fds, err := os.ReadDir(dir)
	if err != nil {
		return found
	}
	for _, e := range fds {
		if target, err := os.Readlink(filepath.Join(dir, e.Name())); err == nil && target == "/dev/fuse" {
			if fd, err := strconv.Atoi(e.Name()); err == nil {
				found[fd] = true
			}
		}
	}
	return found
}
