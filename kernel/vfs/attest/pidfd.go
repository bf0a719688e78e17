package attest

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From include/uapi/linux/pidfd.h. The ioctl carries the size of the first
// version of the structure, which every kernel that has it accepts.
const (
	pidfdThread  = unix.O_EXCL // PIDFD_THREAD
	pidfdGetInfo = 0xc040ff0b  // _IOWR(0xFF, 11, 64)
	infoPID      = unix.PIDFD_INFO_PID
	infoCreds    = unix.PIDFD_INFO_CREDS
	infoCgroup   = unix.PIDFD_INFO_CGROUPID
)

// pidfdInfo is struct pidfd_info, version 0 (64 bytes).
type pidfdInfo struct {
	mask     uint64
	cgroupID uint64
	pid      uint32
	tgid     uint32
	ppid     uint32
	ruid     uint32
	rgid     uint32
	euid     uint32
	egid     uint32
	suid     uint32
	sgid     uint32
	fsuid    uint32
	fsgid    uint32
	exitCode int32
}

// openPidfd opens a thread, which is what the header of a FUSE request names. A
// leader opens as its process, for which readiness means the end of all threads.
func openPidfd(tid int) (fd int, err error) {
	if fd, err = unix.PidfdOpen(tid, 0); err == nil {
		return fd, nil
	}
	return unix.PidfdOpen(tid, pidfdThread)
}

// openRunning opens the process of a link; ok is false, and nothing is open, when it
// has ended.
func openRunning(l Link) (fd int, ok bool) {
	fd, err := unix.PidfdOpen(l.PID, 0)
	if err != nil {
		return -1, false
	}
	if ino, ok := pidfdInode(fd); !ok || ino != l.ID || anyEnded([]int32{int32(fd)}) {
		unix.Close(fd)
		return -1, false
	}
	return fd, true
}

// WatchExit returns what waits for the end of a process, as long as it is told, and
// reports whether it has ended; it is to be called once. A process that is not
// there, or can't be watched, counts as ended.
func WatchExit(pid int) (wait func(atMost time.Duration) bool) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return func(time.Duration) bool { return true }
	}
	return func(atMost time.Duration) bool {
		defer unix.Close(fd)
		for end := time.Now().Add(atMost); ; {
			left := time.Until(end)
			n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(max(left, 0).Milliseconds()))
			if err != unix.EINTR || left <= 0 {
				return n != 0 || err != nil && err != unix.EINTR
			}
		}
	}
}

// pidfdInfoOf asks the kernel about the process behind a pidfd; it fails when the
// process has ended (ESRCH) or the kernel is older than 6.13 (ENOTTY).
func pidfdInfoOf(fd int) (pidfdInfo, error) {
	info := pidfdInfo{mask: infoPID | infoCreds | infoCgroup}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), pidfdGetInfo, uintptr(unsafe.Pointer(&info)))
	if errno != 0 {
		return pidfdInfo{}, errno
	}
	return info, nil
}

// pidfdInode returns the inode of a pidfd, which on pidfs (6.9) is never given
// to another process.
func pidfdInode(fd int) (uint64, bool) {
	var st unix.Stat_t
	if unix.Fstat(fd, &st) != nil {
		return 0, false
	}
	return st.Ino, true
}

// hasPidfs reports whether this kernel has unique pidfd inodes and
// PIDFD_GET_INFO.
func hasPidfs() bool {
	fd, err := unix.PidfdOpen(unix.Getpid(), 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd)
	var fs unix.Statfs_t
	if unix.Fstatfs(fd, &fs) != nil || fs.Type != unix.PID_FS_MAGIC {
		return false
	}
	_, err = pidfdInfoOf(fd)
	return err == nil
}

// anyEnded reports whether one of the processes has ended: a pidfd becomes
// readable then (pidfd_open(2)). A poll that fails counts as yes.
func anyEnded(fds []int32) bool {
	if len(fds) == 0 {
		return true
	}
	var room [32]unix.PollFd
	set := room[:0]
	for _, fd := range fds {
		set = append(set, unix.PollFd{Fd: fd, Events: unix.POLLIN})
	}
	// It does not wait, so the scheduler need not be told of the call.
	var now unix.Timespec
	n, _, errno := unix.RawSyscall6(unix.SYS_PPOLL, uintptr(unsafe.Pointer(&set[0])), uintptr(len(set)),
		uintptr(unsafe.Pointer(&now)), 0, 0, 0)
	return errno != 0 || n != 0
}
