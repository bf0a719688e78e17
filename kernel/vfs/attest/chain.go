package attest

import (
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Link is one process, safe against the reuse of its pid.
type Link struct {
	PID int    // thread group id, in this process's pid namespace
	ID  uint64 // inode of its pidfd, or its start time in clock ticks
	UID uint32 // effective uid
}

// Chain is a process and its ancestors, nearest first, as far up as they can be
// seen: to pid 1, or to the border of the pid namespace.
type Chain []Link

// maxChain bounds the walk up: deeper trees exist only by mistake.
const maxChain = 128

// Chain returns the ancestry of the thread tid, its own process first. It is nil
// when the thread can't be seen from here (tid 0, or ended).
func (a *Attester) Chain(tid int) Chain {
	chain, _ := a.walk(tid)
	return chain
}

// walk is Chain. It also reports whether the chain was read to its end.
func (a *Attester) walk(tid int) (chain Chain, complete bool) {
	look := lookProc
	if a.pidfs {
		look = lookPidfd
	}
	for tid > 0 && len(chain) < maxChain {
		link, parent, ok := look(tid)
		if !ok {
			return chain, false
		}
		chain, tid = append(chain, link), parent
	}
	// The parent of pid 1, and one in another pid namespace, reads 0.
	return chain, tid == 0 && len(chain) > 0
}

// Alive reports whether the process still runs: not ended, and not a zombie. One that
// can't be looked at for want of a descriptor runs: its replies are no other's.
func (a *Attester) Alive(l Link) bool {
	if !a.pidfs {
		st, ok := readStat(l.PID)
		return ok && st.start == l.ID && !st.dead()
	}
	fd, err := unix.PidfdOpen(l.PID, 0)
	if err != nil {
		return none(err)
	}
	defer unix.Close(fd)
	id, ok := pidfdInode(fd)
	return ok && id == l.ID && !ended(fd)
}

const leaderPrefix = "sid-"

// LeaderPID is the process that leads a session, of which name is [memory.Caller]'s
// Leader.
func LeaderPID(name string) (pid int, ok bool) {
	rest, ok := strings.CutPrefix(name, leaderPrefix)
	rest, _, _ = strings.Cut(rest, "-")
	pid, err := strconv.Atoi(rest)
	return pid, ok && err == nil && pid > 0
}

// leader names the session that the process with the id sid leads, such that no
// later one has the name; the leader may be gone.
func (c Chain) leader(sid int) string {
	name := leaderPrefix + strconv.Itoa(sid)
	for _, l := range c {
		if l.PID == sid {
			name += "-" + strconv.FormatUint(l.ID, 36)
		}
	}
	return name
}
