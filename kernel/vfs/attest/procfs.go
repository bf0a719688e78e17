package attest

import (
	"bytes"
	"errors"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// stat is what is used of /proc/PID/stat (proc_pid_stat(5)).
type stat struct {
	comm  string
	state byte
	ppid  int
	sid   int // the session's leader
	tty   int // device number of the controlling terminal; 0: none
	start uint64
}

// dead reports whether the process has ended but was not reaped yet.
func (s stat) dead() bool { return s.state == 'Z' || s.state == 'X' }

// Stopped reports whether a signal or a debugger has stopped a process.
func Stopped(pid int) bool {
	s, ok := readStat(pid)
	return ok && (s.state == 'T' || s.state == 't')
}

func readStat(pid int) (stat, bool) {
	var room [1024]byte // the line has a name of 64 bytes and 51 numbers
	raw, ok := readProc(pid, "stat", room[:])
	if !ok {
		return stat{}, false
	}
	return parseStat(raw)
}

// parseStat parses one line. The name stands in parentheses and may itself hold
// parentheses and blanks, so the last closing one ends it.
func parseStat(raw []byte) (stat, bool) {
	open, end := bytes.IndexByte(raw, '('), bytes.LastIndexByte(raw, ')')
	if open < 0 || end < open {
		return stat{}, false
	}
	f := bytes.Fields(raw[end+1:])
	if len(f) < 20 || len(f[0]) != 1 { // field 3, the state, is f[0]
		return stat{}, false
	}
	s := stat{comm: string(raw[open+1 : end]), state: f[0][0]}
	var errs [4]error
	s.ppid, errs[0] = strconv.Atoi(string(f[1]))
	s.sid, errs[3] = strconv.Atoi(string(f[3]))
	s.tty, errs[1] = strconv.Atoi(string(f[4]))
	s.start, errs[2] = strconv.ParseUint(string(f[19]), 10, 64)
	if errors.Join(errs[:]...) != nil {
		return stat{}, false
	}
	return s, true
}

// tgidOf returns the process that a thread belongs to, from the Tgid line of
// /proc/TID/status; only kernels without pidfs need it.
func tgidOf(tid int) (int, bool) {
	var room [4096]byte
	raw, ok := readProc(tid, "status", room[:])
	if !ok {
		return 0, false
	}
	_, rest, ok := bytes.Cut(raw, []byte("\nTgid:"))
	if !ok {
		return 0, false
	}
	line, _, _ := bytes.Cut(rest, []byte("\n"))
	pid, err := strconv.Atoi(string(bytes.TrimSpace(line)))
	return pid, err == nil
}

// lookProc returns the process of a thread, and the pid of its parent, from /proc
// alone.
func lookProc(tid int) (l Link, parent int, ok bool) {
	pid, ok := tgidOf(tid)
	if !ok {
		return Link{}, 0, false
	}
	st, ok := readStat(pid)
	return Link{PID: pid, ID: st.start, UID: procUID(pid)}, st.ppid, ok
}

// procUID returns the owner of /proc/PID, which is the effective uid, or root for
// a process that may not be looked into (proc(5), dumpable).
func procUID(pid int) uint32 {
	var st unix.Stat_t
	if unix.Stat("/proc/"+strconv.Itoa(pid), &st) != nil {
		return 0
	}
	return st.Uid
}

// readProc reads a file of a process into room, as much as fits. os.ReadFile
// takes twice the system calls.
func readProc(pid int, name string, room []byte) ([]byte, bool) {
	fd, err := patient(func() (int, error) { return unix.Open(procPath(pid, name), unix.O_RDONLY|unix.O_CLOEXEC, 0) })
	if err != nil {
		return nil, false
	}
	defer unix.Close(fd)
	n, err := unix.Read(fd, room)
	return room[:max(n, 0)], err == nil
}

// readLink reads one of the links in /proc/PID: exe, cwd. It is "" without the
// right to see it.
func readLink(pid int, name string) string {
	target, err := os.Readlink(procPath(pid, name))
	if err != nil {
		return ""
	}
	return target
}

func procPath(pid int, name string) string { return "/proc/" + strconv.Itoa(pid) + "/" + name }
