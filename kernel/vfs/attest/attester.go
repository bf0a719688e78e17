package attest

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
)

// Options of an [Attester]; the zero value works.
type Options struct {
	// Project pins the project of every caller to this directory.
	Project string
	// Agents are names of executables to take for agents, besides the known ones.
	Agents []string
	// Now is the clock; nil is time.Now.
	Now func() time.Time
}

// maxCached bounds the pidfds that are kept open, of each kind.
const maxCached = 256

// Attester attests callers. It is safe for concurrent use; Close releases its
// file descriptors.
type Attester struct {
	project string
	agents  map[string]bool
	now     func() time.Time
	pidfs   bool
	git     gitCache
	places  places
	living  living
	avoid   atomic.Pointer[[]string]

	mu      sync.Mutex
	threads map[int]*process // by tid: processes that called
	parents map[int]*process // by pid: their ancestors
	closed  uint64           // counts closed ancestors: chains built before may name them
	cgroups map[uint64]string
}

// New returns an Attester.
func New(opts Options) *Attester {
	a := &Attester{
		project: opts.Project,
		agents:  map[string]bool{},
		now:     opts.Now,
		pidfs:   hasPidfs(),
		threads: map[int]*process{},
		parents: map[int]*process{},
		cgroups: map[uint64]string{},
	}
	if a.now == nil {
		a.now = time.Now
	}
	for _, name := range append(opts.Agents, knownAgents...) {
		a.agents[name] = true
	}
	return a
}

// Close releases everything that is cached. The Attester can still be used, and
// will cache anew.
func (a *Attester) Close() {
	a.living.mu.Lock()
	a.living.clear()
	a.living.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, m := range []map[int]*process{a.threads, a.parents} {
		for _, p := range m {
			a.drop(p)
		}
		clear(m)
	}
}

func (a *Attester) forget(tid int) {
	if p := a.threads[tid]; p != nil {
		a.drop(p)
		delete(a.threads, tid)
	}
}

// drop closes a process's pidfd. Chains that watch an ancestor by the number of
// its descriptor must not be believed once that number can be reused.
func (a *Attester) drop(p *process) {
	unix.Close(p.fd)
	if p.ancestor {
		a.closed++
	}
}

// prune keeps the caches within bounds: the ended go first, then any but the
// ancestors of keep.
func (a *Attester) prune(keep *process) {
	for _, m := range []map[int]*process{a.threads, a.parents} {
		if len(m) <= maxCached {
			continue
		}
		for key, p := range m {
			if !slices.Contains(keep.up, p) && anyEnded([]int32{int32(p.fd)}) {
				a.drop(p)
				delete(m, key)
			}
		}
		for key, p := range m {
			if len(m) <= maxCached/2 {
				break
			}
			if slices.Contains(keep.up, p) {
				continue
			}
			a.drop(p)
			delete(m, key)
		}
	}
	keep.closed = a.closed // none of its own was closed
	if len(a.cgroups) > maxCached {
		clear(a.cgroups)
	}
}

// process is what is known of one process. Guarded by Attester.mu.
type process struct {
	fd     int
	pid    int // thread group id
	id     uint64
	ppid   int
	uid    uint32
	cgroup uint64

	ancestor bool // whether a chain watches it

	// Of a caller:
	chain    Chain      // itself and its ancestors
	up       []*process // the same
	watch    []int32    // pidfds whose end ends the chain's truth
	complete bool       // whether the chain was read to its end
	closed   uint64     // Attester.closed when it was read
	read     time.Time

	facts facts
	place place // where it worked last
}

func (p *process) link() Link { return Link{PID: p.pid, ID: p.id, UID: p.uid} }

// refresh reads again what can change, and reports whether the process runs.
func (p *process) refresh() bool {
	info, err := pidfdInfoOf(p.fd)
	if err != nil {
		return false
	}
	p.ppid, p.uid, p.cgroup = int(info.ppid), info.euid, info.cgroupID
	return true
}

// open makes the record of the process that tid belongs to.
func (a *Attester) open(tid int) *process {
	fd, err := openPidfd(tid)
	if err != nil {
		return nil
	}
	info, err := pidfdInfoOf(fd)
	if err != nil {
		unix.Close(fd)
		return nil
	}
	p := &process{fd: fd, pid: int(info.tgid), ppid: int(info.ppid), uid: info.euid, cgroup: info.cgroupID}
	if p.pid == tid {
		p.id, _ = pidfdInode(fd)
		return p
	}
	leader, err := unix.PidfdOpen(p.pid, 0)
	if err != nil {
		unix.Close(fd)
		return nil
	}
	defer unix.Close(leader)
	p.id, _ = pidfdInode(leader)
	return p
}
