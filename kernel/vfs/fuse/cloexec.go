package fuse

import (
	"os"
	"path/filepath"
	"strconv"
	"syscall"
)

// keepDevice keeps children from inheriting the FUSE device. go-fuse opens it
// without O_CLOEXEC when it mounts by itself; a child that held it would keep the
// connection open after this process died, and every caller of the dead mount
// would hang instead of getting ECONNABORTED (fuse_dev_release in fs/fuse/dev.c).
func keepDevice() {
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return // no /proc: no children either, none is found in PATH
	}
	for _, e := range fds {
		if target, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name())); err == nil && target == "/dev/fuse" {
			if fd, err := strconv.Atoi(e.Name()); err == nil {
				syscall.CloseOnExec(fd)
			}
		}
	}
}
