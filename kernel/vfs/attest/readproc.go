package attest

import (
	"os"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// procPath makes the path of a file of a process, ended by a zero byte.
func procPath(room []byte, pid int, name string) []byte {
	p := append(room[:0], "/proc/"...)
	p = strconv.AppendInt(p, int64(pid), 10)
	p = append(p, '/')
	p = append(p, name...)
	return append(p, 0)
}

// readProc reads a file of a process into room, as much as fits. os.ReadFile
// takes twice the system calls.
func readProc(pid int, name string, room []byte) ([]byte, bool) {
	var path [48]byte
	p := procPath(path[:], pid, name)
	fd, err := unix.Open(string(p[:len(p)-1]), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, room)
	if err != nil {
		return nil, false
	}
	return room[:n], true
}

// readLink reads one of the links in /proc/PID: exe, cwd. It is "" without the
// right to see it. The call can't block, so the scheduler is not told of it, which
// on a busy server costs more than the call.
func readLink(pid int, name string) string {
	var path [48]byte
	p := procPath(path[:], pid, name)
	var room [512]byte
	dirfd := unix.AT_FDCWD
	n, _, errno := unix.RawSyscall6(unix.SYS_READLINKAT, uintptr(dirfd), uintptr(unsafe.Pointer(&p[0])),
		uintptr(unsafe.Pointer(&room[0])), uintptr(len(room)), 0, 0)
	switch {
	case errno != 0:
		return ""
	case int(n) < len(room):
		return string(room[:n])
	}
	s, err := os.Readlink(string(p[:len(p)-1]))
	if err != nil {
		return ""
	}
	return s
}
