package attest

import (
	"slices"

	"golang.org/x/sys/unix"
)

// Link is one process, safe against the reuse of its pid.
type Link struct {
	PID int    // thread group id, in this process's pid namespace
	ID  uint64 // inode of its pidfd, or its start time in clock ticks
	UID uint32 // effective uid
}

// Chain is a process and its ancestors, nearest first, as far up as they can be
// seen: to pid 1, or to the border of the pid namespace. It is never changed
// after it was returned.
type Chain []Link

// maxChain bounds the walk up: deeper trees exist only by mistake.
const maxChain = 128

// Chain returns the ancestry of the thread tid, its own process first. It is nil
// when the thread can't be seen from here (tid 0, or ended).
func (a *Attester) Chain(tid int) Chain {
	if tid <= 0 {
		return nil
	}
	if !a.pidfs {
		return procChain(tid)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.thread(tid); p != nil {
		return p.chain
	}
	return nil
}

// Alive reports whether the process still runs: not ended, and not a zombie.
func (a *Attester) Alive(l Link) bool {
	if err := unix.Kill(l.PID, 0); err == unix.ESRCH {
		return false
	}
	if !a.pidfs {
		st, ok := readStat(l.PID)
		return ok && st.start == l.ID && !st.dead()
	}
	fd, ok := openRunning(l)
	if ok {
		unix.Close(fd)
	}
	return ok
}

// thread returns what is known of the process that tid belongs to, with a chain
// that holds now. The caller holds a.mu.
func (a *Attester) thread(tid int) *process {
	p := a.threads[tid]
	switch {
	case p == nil:
		if p = a.open(tid); p == nil {
			return nil
		}
		a.threads[tid] = p
	case a.holds(p):
		return p
	case !p.refresh():
		a.forget(tid)
		return a.thread(tid)
	}
	a.build(p)
	a.prune(p)
	return p
}

// holds reports whether a cached chain is still true. The caller holds a.mu.
func (a *Attester) holds(p *process) bool {
	return p.closed == a.closed && a.now().Sub(p.read) < factsAge && !anyEnded(p.watch)
}

// build reads the chain of a caller, from the processes that are cached and still
// run where it can. The caller holds a.mu.
func (a *Attester) build(self *process) {
	self.chain, self.up, self.watch, self.complete = nil, nil, nil, false
	chain, up, watch := Chain{self.link()}, []*process{self}, []int32{int32(self.fd)}
	for p := self; len(chain) < maxChain; {
		if p.ppid == 0 { // pid 1, or the parent lies in another pid namespace
			self.complete = true
			break
		}
		if p = a.parent(p.ppid); p == nil {
			break
		}
		p.ancestor = true
		chain, up, watch = append(chain, p.link()), append(up, p), append(watch, int32(p.fd))
	}
	self.chain, self.up, self.watch = slices.Clip(chain), up, watch
	self.closed, self.read = a.closed, a.now()
}

// parent returns the running process pid, the parent of a process that runs:
// whatever has that number and runs is that parent.
func (a *Attester) parent(pid int) *process {
	if p := a.parents[pid]; p != nil {
		if p.refresh() {
			return p
		}
		a.drop(p)
		delete(a.parents, pid)
	}
	p := a.open(pid)
	if p == nil {
		return nil
	}
	a.parents[pid] = p
	return p
}
