package fuse

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Silent is the error of a mount whose server does not answer, of the kind timeout,
// and what to do about it. Both name the server's process where that can be seen.
// It does not touch the mount.
func Silent(mountpoint string) (why *memory.Error, mend string) {
	point, err := clean(mountpoint)
	if err != nil {
		point = mountpoint
	}
	who, mend := "its process may be stopped", "let its process go on (kill -CONT) or end it"
	if pid := serverOf(point); pid != 0 {
		how := "may be"
		if stopped(pid) {
			how = "is"
		}
		who = fmt.Sprintf("its process %d %s stopped", pid, how)
		mend = fmt.Sprintf("let its process go on (kill -CONT %d) or end it (kill -9 %d)", pid, pid)
	}
	return memory.Errorf(memory.KindTimeout, "", "the mount at %s does not answer (%s)", point, who),
		mend + ", or take the mount off: rnixfs umount --lazy " + point
}

// serverOf finds the process that serves a mountpoint: it has a FUSE device, and
// names the mountpoint as its last argument, as a mount in the background does. It
// is 0 where none is seen, or several are.
func serverOf(point string) int {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return 0
	}
	found := 0
	for _, e := range procs {
		pid, err := strconv.Atoi(e.Name())
		if err != nil || pid == os.Getpid() || !hasDevice(pid) || lastArgument(pid) != point {
			continue
		}
		if found != 0 {
			return 0
		}
		found = pid
	}
	return found
}

// lastArgument is a process's, as a clean path.
func lastArgument(pid int) string {
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	args := strings.Split(strings.TrimRight(string(raw), "\x00"), "\x00")
	last := args[len(args)-1]
	if !filepath.IsAbs(last) {
		return ""
	}
	point, err := clean(last)
	if err != nil {
		return ""
	}
	return point
}

func hasDevice(pid int) bool {
	dir := "/proc/" + strconv.Itoa(pid) + "/fd"
	fds, err := os.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, fd := range fds {
		if to, err := os.Readlink(dir + "/" + fd.Name()); err == nil && to == "/dev/fuse" {
			return true
		}
	}
	return false
}

// stopped reports whether a signal or a debugger has stopped a process
// (proc_pid_stat(5)).
func stopped(pid int) bool {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	name := strings.LastIndexByte(string(stat), ')') // the name may hold anything
	return name > 0 && name+2 < len(stat) && (stat[name+2] == 'T' || stat[name+2] == 't')
}
