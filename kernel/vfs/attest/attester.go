package attest

import (
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Attester attests callers. It is safe for concurrent use.
type Attester struct {
	// Own returns the directory that keeps the memory of a container alone: a project for
	// its callers whose working directory is none of this machine's. "", or nil: there is none.
	Own func(uid uint32, container string) (dir string)

	project string
	pidfs   bool
	avoid   atomic.Pointer[string]
	mounts  string // this process's mount namespace
	first   string // that of process 1, "" where it may not be known
	groups  string // and its control groups
	// seen says where to look first: to read the mounts of a machine with a thousand of them
	// takes milliseconds. What is found there is compared all the same.
	seen [64]atomic.Pointer[seen]
}

// New returns an Attester, which takes the directory project for the project of every
// caller, unless it is "".
func New(project string) *Attester {
	groups, _ := os.ReadFile("/proc/self/cgroup") // none: no container is told from it
	return &Attester{project: project, pidfs: hasPidfs(), mounts: readLink(os.Getpid(), mountSpace), first: readLink(1, mountSpace), groups: string(groups)}
}

// Avoid names a directory that is never looked into: the mount that this process
// serves, where a lookup would wait for the process itself.
func (a *Attester) Avoid(dir string) {
	dir = filepath.Clean(dir)
	a.avoid.Store(&dir)
}

// Avoids reports whether a directory lies in the one that is avoided.
func (a *Attester) Avoids(dir string) bool {
	avoid := a.avoid.Load()
	if avoid == nil {
		return false
	}
	_, ok := under(*avoid, dir)
	return ok
}

// Caller attests the thread tid, which made a request as uid and is blocked in it. A
// tid of 0 belongs to another pid namespace: the uid is all that is known.
func (a *Attester) Caller(uid uint32, tid int) memory.Caller {
	c, _ := a.Identify(uid, tid)
	a.Locate(&c)
	return c
}

// Identify is the part of Caller that never waits for a file system of the
// caller's choice. It also returns the caller's ancestry.
func (a *Attester) Identify(uid uint32, tid int) (memory.Caller, Chain) {
	c := memory.Caller{UID: uid, Trust: memory.TrustAgent, Project: a.project}
	chain, complete := a.walk(tid)
	if len(chain) == 0 {
		return c, nil
	}
	c.PID = chain[0].PID
	c.Exe = readLink(c.PID, "exe")
	st, ok := readStat(c.PID)
	if !ok {
		return c, chain
	}
	c.Leader = chain.leader(st.sid)
	away := a.away(c.PID)
	if away {
		c.Container = a.containerOf(c.PID)
	}
	if complete && st.tty != 0 && !away && !slices.ContainsFunc(chain, a.agent) {
		c.Trust = memory.TrustHuman
	}
	return c, chain
}

// Why a caller is in the project that it is in, or in none.
const (
	whyPinned  = "the mount has one project for all (--project)"
	whyHere    = "the working directory lies in it"
	whyNone    = "the working directory lies in no project: this is the memory of all such directories"
	whyPID     = "the process can't be seen: it is in another pid namespace than rnixfs"
	whyGone    = "the working directory can't be seen: it was removed, has too long a path, or the process may not be looked into"
	whyAnother = "another directory has the path of the working directory here, or lies above it"
	whyOwn     = "the working directory is the container's own, no directory of this machine: this is the memory of this container alone"
	whyNoID    = "the working directory is a sandbox's own, no directory of this machine, and the sandbox has no id by which it could have a memory"
)

// Locate is the other part: where the caller works, and in which project.
func (a *Attester) Locate(c *memory.Caller) {
	at := view{-1}
	if c.PID != 0 {
		c.Cwd, at = a.workdir(c.PID)
		defer at.close()
	}
	if c.Project != "" {
		c.Why = whyPinned
		return
	}
	var same bool
	c.Project, c.Folder, same = a.projectOf(c.Cwd, c.UID, at)
	switch {
	case c.PID == 0:
		c.Unseen, c.Why = true, whyPID
	case c.Container != "" && a.Avoids(c.Cwd): // nobody's project, and not the one of those in none
		a.locateBound(c, at)
	case c.Cwd != "" && same && c.Project == "":
		c.Why = whyNone
	case c.Cwd != "" && same:
		c.Why = whyHere
	case at.fd >= 0 && a.away(c.PID):
		a.locateBound(c, at)
	case c.Cwd == "":
		c.Unseen, c.Why = true, whyGone
	default:
		c.Unseen, c.Why = true, whyAnother
	}
}

// locateBound is Locate for a caller in another mount namespace, whose working directory
// is another one here, or has other directories above it. It has the project that a process
// here has in the same directory: who bound a part of a project for a container has let the
// container work in that project.
func (a *Attester) locateBound(c *memory.Caller, v view) {
	host, at, own := a.bound(c.PID, v)
	defer at.close()
	c.Cwd = host
	if host != "" && !own {
		var same bool
		c.Project, c.Folder, same = a.projectOf(host, c.UID, at)
		c.Why = "the working directory is bound from " + host
		switch {
		case !same:
			c.Unseen, c.Why = true, whyAnother
			return
		case c.Project != "":
			c.Why += ", which lies in it"
			return
		case !v.sees():
			c.Why += ", which lies in no project: this is the memory of all such directories"
			return
		}
		own = true // it is in a project of the container's
	}
	c.Unseen, c.Why = true, whyGone
	if own {
		c.Why = whyNoID
	}
	if own && c.Container != "" && a.Own != nil {
		if dir := a.Own(c.UID, c.Container); dir != "" {
			c.Project, c.Unseen, c.Alone, c.Why = dir, false, true, whyOwn
		}
	}
}
