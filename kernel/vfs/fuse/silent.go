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
		if attest.Stopped(pid) {
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
	found := 0
	for _, pid := range others() {
		// The device first: looking at the arguments of any process follows paths, also
		// into mounts that do not answer.
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

// lastArgument is a process's, as a clean path; a relative one is of its working
// directory.
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
