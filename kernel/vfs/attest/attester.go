package attest

import (
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Attester attests callers. It is safe for concurrent use.
type Attester struct {
	project string
	pidfs   bool
	avoid   atomic.Pointer[string]
}

// New returns an Attester, which takes the directory project for the project of every
// caller, unless it is "".
func New(project string) *Attester { return &Attester{project: project, pidfs: hasPidfs()} }

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
	rest, ok := strings.CutPrefix(dir, *avoid)
	return ok && (rest == "" || rest[0] == '/')
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
	if complete && st.tty != 0 && !slices.ContainsFunc(chain, agent) {
		c.Trust = memory.TrustHuman
	}
	return c, chain
}

// Locate is the other part: where the caller works, and in which project.
func (a *Attester) Locate(c *memory.Caller) {
	at := view{-1}
	if c.PID != 0 {
		c.Cwd, at = a.workdir(c.PID)
		defer at.close()
	}
	if c.Project == "" {
		var same bool
		c.Project, c.Folder, same = a.projectOf(c.Cwd, c.UID, at)
		c.Unseen = c.Cwd == "" || !same
	}
}
