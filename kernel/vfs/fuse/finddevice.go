package fuse

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

// devices are the descriptors of /dev/fuse that a process has, a pid or "self".
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

// findDevice returns the device of a mount that was made just now, which go-fuse
// keeps to itself: the one that was not there before.
//
// It also keeps children from inheriting it. go-fuse opens it without O_CLOEXEC when
// it mounts by itself; a child that held it would keep the connection open after
// this process died, and every caller of the dead mount would hang instead of
// getting ECONNABORTED (fuse_dev_release in fs/fuse/dev.c).
func findDevice(point string, before map[int]bool, log *slog.Logger) (*device, error) {
	if IsDevice(point) {
		fd, err := strconv.Atoi(strings.TrimPrefix(point, "/dev/fd/"))
		if err != nil {
			return nil, err
		}
		return openDevice(fd, log)
	}
	var d *device
	var err error
	for fd := range devices("self") {
		if before[fd] || d != nil {
			continue
		}
		syscall.CloseOnExec(fd)
		if d, err = openDevice(fd, log); err != nil {
			return nil, err
		}
	}
	if d == nil {
		return nil, fmt.Errorf("its FUSE device is not in /proc/self/fd")
	}
	return d, nil
}
