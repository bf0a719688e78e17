package attest

import (
	"errors"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// From include/uapi/linux/pidfd.h. The ioctl carries the size of the first
// version of the structure, which every kernel that has it accepts.
const (
	pidfdThread  = unix.O_EXCL // PIDFD_THREAD
	pidfdGetInfo = 0xc040ff0b  // _IOWR(0xFF, 11, 64)
)

// lookPidfd returns the process of a thread, and the pid of its parent. The header
// of a FUSE request names a thread, which is not always the leader of its process.
func lookPidfd(tid int) (l Link, parent int, ok bool) {
	fd, err := patient(func() (int, error) { return unix.PidfdOpen(tid, 0) })
	if err != nil {
		if fd, err = unix.PidfdOpen(tid, pidfdThread); err != nil {
			return Link{}, 0, false
		}
	}
	defer unix.Close(fd)
	info, err := pidfdInfoOf(fd)
	if err != nil {
		return Link{}, 0, false
	}
	l = Link{PID: int(info.Tgid), UID: info.Euid}
	if l.PID != tid {
		leader, err := patient(func() (int, error) { return unix.PidfdOpen(l.PID, 0) })
		if err != nil {
			return Link{}, 0, false
		}
		defer unix.Close(leader)
		fd = leader
	}
	l.ID, ok = pidfdInode(fd)
	return l, int(info.Ppid), ok
}

// patient opens a descriptor. Where this process has none left, it waits for a moment:
// a caller who is not seen is nobody, and is given no reply.
func patient(open func() (int, error)) (fd int, err error) {
	for range 100 {
		if fd, err = open(); !none(err) {
			break
		}
		time.Sleep(time.Millisecond)
	}
	return fd, err
}

// none reports whether an error is that of a process, or a system, that has no
// descriptor left.
func none(err error) bool { return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) }

// pidfdInfoOf asks the kernel about the process behind a pidfd; it fails when the
// process has ended (ESRCH) or the kernel is older than 6.13 (ENOTTY).
func pidfdInfoOf(fd int) (unix.PidfdInfo, error) {
	info := unix.PidfdInfo{Mask: unix.PIDFD_INFO_PID | unix.PIDFD_INFO_CREDS}
	_, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), pidfdGetInfo, uintptr(unsafe.Pointer(&info)))
	if errno != 0 {
		return unix.PidfdInfo{}, errno
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

// ended reports whether a process has ended: its pidfd becomes readable then
// (pidfd_open(2)). A poll that fails counts as yes.
func ended(fd int) bool { return !runsUntil(fd, 0) }

// runsUntil waits for the end of a process, and reports whether it still runs after
// the time.
func runsUntil(fd int, atMost time.Duration) bool {
	for end := time.Now().Add(atMost); ; {
		left := max(time.Until(end), 0)
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(left.Milliseconds()))
		if err != unix.EINTR || left == 0 {
			return n == 0 && (err == nil || err == unix.EINTR)
		}
	}
}

// Watched is a process whose end is waited for.
type Watched struct{ fd int }

// Watch begins to watch a process. One that is not there, or can't be watched, counts
// as ended. [Watched.Wait] must be called once.
func Watch(pid int) Watched {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		fd = -1
	}
	return Watched{fd}
}

// Terminate sends SIGTERM to that very process.
func (w Watched) Terminate() {
	if w.fd >= 0 {
		_ = unix.PidfdSendSignal(w.fd, unix.SIGTERM, nil, 0) // another user's, or it has ended
	}
}

// Wait waits for the end of the process, and reports whether it has ended.
func (w Watched) Wait(atMost time.Duration) bool {
	if w.fd < 0 {
		return true
	}
	defer unix.Close(w.fd)
	return !runsUntil(w.fd, atMost)
}
