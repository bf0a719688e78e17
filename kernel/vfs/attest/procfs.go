package attest

import (
	"bytes"
	"strconv"

	"golang.org/x/sys/unix"
)

// stat is what is used of /proc/PID/stat (proc_pid_stat(5)).
type stat struct {
	comm    string
	state   byte
	ppid    int
	session int
	tty     int // device number of the controlling terminal; 0: none
	start   uint64
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
	s.session, errs[1] = strconv.Atoi(string(f[3]))
	s.tty, errs[2] = strconv.Atoi(string(f[4]))
	s.start, errs[3] = strconv.ParseUint(string(f[19]), 10, 64)
	for _, err := range errs {
		if err != nil {
			return stat{}, false
		}
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

// procChain reads a chain from /proc alone.
func procChain(tid int) Chain {
	pid, ok := tgidOf(tid)
	if !ok {
		return nil
	}
	var chain Chain
	for pid > 0 && len(chain) < maxChain {
		st, ok := readStat(pid)
		if !ok {
			break
		}
		chain = append(chain, Link{PID: pid, ID: st.start, UID: procUID(pid)})
		pid = st.ppid
	}
	return chain
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
