package attest

import (
	"os"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// factsAge is how long facts are kept that a living process can change about
// itself, and seldom does.
const factsAge = time.Second

// facts of a process, kept for factsAge and for as long as it runs the same
// executable.
type facts struct {
	read    time.Time
	exe     string
	start   uint64
	session int
	tty     int
	cgroup  string
	agent   bool // it is a known agent; it stays one while it lives
	human   bool // see Process.Human
}

// Process is a caller in full.
type Process struct {
	PID       int    // thread group id
	StartTime uint64 // clock ticks since boot
	Exe       string // path of the executable; ends in " (deleted)" when it was replaced
	Cwd       string // working directory, "" when this process can't reach it by that path
	Cgroup    string
	SID       int   // session id (setsid(2))
	TTY       int   // device number of the controlling terminal, 0 without one
	Human     bool  // at a terminal, and no ancestor is a known agent
	Chain     Chain // itself and its ancestors
}

// Caller attests the thread tid, which made a request as uid and gid and is
// blocked in it. A tid of 0 is another pid namespace's: uid and gid are all that
// is known.
func (a *Attester) Caller(uid, gid uint32, tid int) memory.Caller {
	c, _ := a.Identify(uid, gid, tid)
	a.Locate(&c, tid)
	return c
}

// Identify is the part of Caller that never waits for a file system, and the
// caller's ancestry.
func (a *Attester) Identify(uid, gid uint32, tid int) (memory.Caller, Chain) {
	c := memory.Caller{UID: uid, GID: gid, Trust: memory.TrustAgent, Project: a.project}
	p, ok := a.process(tid)
	if !ok {
		return c, nil
	}
	c.PID, c.StartTime, c.Exe, c.Cgroup = p.PID, p.StartTime, p.Exe, p.Cgroup
	if p.Human {
		c.Trust = memory.TrustHuman
	}
	return c, p.Chain
}

// Locate is the other part: where the caller works, and in which project.
func (a *Attester) Locate(c *memory.Caller, tid int) {
	if c.PID == 0 {
		return
	}
	here := a.placeOf(tid, c.PID, c.UID)
	c.Cwd = here.path
	if c.Project == "" {
		c.Project = here.root
	}
}

// Process returns all that the kernel tells of the process of a thread; ok is
// false when it can't be seen from here.
func (a *Attester) Process(tid int) (p Process, ok bool) {
	if p, ok = a.process(tid); ok {
		p.Cwd = a.placeOf(tid, p.PID, uint32(os.Geteuid())).path
	}
	return p, ok
}

func (a *Attester) process(tid int) (Process, bool) {
	if tid <= 0 {
		return Process{}, false
	}
	if !a.pidfs {
		return a.procProcess(tid)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	t := a.thread(tid)
	if t == nil {
		return Process{}, false
	}
	f := a.factsOf(t)
	return Process{
		PID: t.pid, StartTime: f.start, Exe: f.exe, Cgroup: f.cgroup,
		SID: f.session, TTY: f.tty, Human: f.human, Chain: t.chain,
	}, true
}

// factsOf returns the facts of a caller. The caller holds a.mu.
func (a *Attester) factsOf(t *process) facts {
	exe := readLink(t.pid, "exe")
	now := a.now()
	if f := &t.facts; f.exe == exe && now.Sub(f.read) < factsAge && !f.read.IsZero() {
		return *f
	}
	st, ok := readStat(t.pid)
	if !ok {
		return facts{exe: exe}
	}
	f := facts{read: now, exe: exe, start: st.start, session: st.session, tty: st.tty}
	f.cgroup = a.cgroupOf(t.pid, t.cgroup)
	if st.tty != 0 && t.complete { // else it is not human in any case
		f.agent = t.facts.agent || a.isAgent(t.pid, exe, st.comm)
		f.human = !f.agent
		for _, p := range t.up[1:] {
			f.human = f.human && !a.agentNow(p, now)
		}
	}
	t.facts = f
	return f
}

// agentNow reports whether an ancestor is an agent, from facts no older than
// factsAge.
func (a *Attester) agentNow(p *process, now time.Time) bool {
	if p.facts.agent || !p.facts.read.IsZero() && now.Sub(p.facts.read) < factsAge {
		return p.facts.agent
	}
	st, ok := readStat(p.pid)
	if !ok {
		return true // doubt lowers trust
	}
	p.facts.read = now
	p.facts.agent = a.isAgent(p.pid, readLink(p.pid, "exe"), st.comm)
	return p.facts.agent
}

// procProcess is Process without pidfs and without a cache.
func (a *Attester) procProcess(tid int) (Process, bool) {
	chain := procChain(tid)
	if len(chain) == 0 {
		return Process{}, false
	}
	pid := chain[0].PID
	st, ok := readStat(pid)
	if !ok {
		return Process{}, false
	}
	p := Process{
		PID: pid, StartTime: st.start, Exe: readLink(pid, "exe"), SID: st.session, TTY: st.tty, Chain: chain,
	}
	a.mu.Lock()
	p.Cgroup = a.cgroupOf(pid, 0)
	a.mu.Unlock()
	top, ok := readStat(chain[len(chain)-1].PID)
	p.Human = p.TTY != 0 && ok && top.ppid == 0
	for _, l := range chain {
		if !p.Human {
			break
		}
		s, ok := readStat(l.PID)
		p.Human = ok && !a.isAgent(l.PID, readLink(l.PID, "exe"), s.comm)
	}
	return p, true
}
