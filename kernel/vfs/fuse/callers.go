package fuse

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// asker is a process that asks something of a device.
type asker struct {
	uid     uint32
	tid     int // as the kernel names the thread
	session string
	device  vfs.Device
}

func askerOf(in *fuse.InHeader, session string, d vfs.Device) asker {
	return asker{uid: in.Uid, tid: int(in.Pid), session: session, device: d}
}

// place is where the replies to an asker belong.
func (a asker) place() place { return place{a.uid, a.session, a.device.Name()} }

// place is where a reply belongs: the device of a user, within a session or
// outside of any.
type place struct {
	uid             uint32
	session, device string
}

// callers attests the askers.
type callers struct {
	*attest.Attester
	// ancestry tells whether the kernel's pids are pids here; if they are another
	// namespace's, the same number is another process here.
	ancestry    atomic.Bool
	sessionRoot bool // see [Options]
	// undecided, where it is not nil, is closed once it is known whether they are.
	undecided chan struct{}

	mu    sync.Mutex
	begun map[uint32]map[string]home // where users' sessions were first written to
}

// home is the project of a caller, or of a session.
type home struct {
	project string
	folder  memory.Folder
	unseen  bool
}

func homeOf(c memory.Caller) home { return home{c.Project, c.Folder, c.Unseen} }

// maxBegun bounds the sessions of one user whose projects are known.
const maxBegun = 1024

// locate finds where a caller works, as [attest.Attester.Locate] does, but where that
// can't be seen, its session says in which project it is: the one from which the tree
// s/<id>/ was first written to. A container may have nothing else.
func (c *callers) locate(caller *memory.Caller, writes bool) {
	c.Locate(caller)
	if caller.Session == "" {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	sessions := c.begun[caller.UID]
	b, ok := sessions[caller.Session]
	switch {
	case ok && (caller.Unseen || caller.Alone):
		caller.Project, caller.Folder, caller.Unseen, caller.Alone = b.project, b.folder, false, false
		caller.Why = "the session was first written to from it"
	case !ok && !caller.Unseen && !caller.Alone && writes:
		if len(sessions)%maxBegun == 0 { // none yet, or too many
			sessions = map[string]home{}
			c.begun[caller.UID] = sessions
		}
		sessions[caller.Session] = homeOf(*caller)
	}
}

// await waits until it is known whether the kernel's pids are pids here: a guess would
// put what the first callers remember into a wrong project. It is for a WRITE alone. A
// LOOKUP may hold the lock of the directory, in which the probe looks up a name.
func (c *callers) await() {
	if c.undecided != nil {
		<-c.undecided
	}
}

// barred says why an asker may not use the devices outside of s/.
func (c *callers) barred(session, device string, pid int) error {
	if !c.sessionRoot || session != "" || pid != 0 || device == "status" {
		return nil
	}
	return &memory.Error{
		Op: device, Kind: memory.KindDenied, Err: errors.New("who asks can't be seen from here, and only sessions are served here"),
		Hint: "use the devices in s/<id>/, such as s/<id>/commit; a container is given its own tree s/<id>/ as its /dev/memory",
	}
}

// tid is the thread of an asker; 0 where pids mean nothing.
func (c *callers) tid(from asker) int {
	if !c.ancestry.Load() {
		return 0
	}
	return from.tid
}

// identify attests an asker except for its place, which takes a look at a file
// system, and returns its ancestry. Where pids mean nothing, both are unknown.
func (c *callers) identify(from asker) (memory.Caller, attest.Chain) {
	caller, chain := c.Identify(from.uid, c.tid(from))
	caller.Session, caller.Road = from.session, from.device.Name()
	return caller, chain
}

// visitor attests one who does something below memories/. One who has changed into the
// mount is in the project of the nearest ancestor that has not: mkdir -p does so.
func (c *callers) visitor(h *fuse.InHeader, session string) (v visitor) {
	from := asker{uid: h.Uid, tid: int(h.Pid), session: session}
	caller, chain := c.Identify(from.uid, c.tid(from))
	caller.Session, caller.Road = session, vfs.MemoriesName
	v.Caller = caller
	c.locate(&v.Caller, false)
	if len(chain) > 0 {
		v.reader = reader{chain[0], session}
	}
	for i := 1; i < len(chain) && chain[i].UID == h.Uid && c.Avoids(v.Cwd); i++ {
		v.Caller = caller
		v.PID = chain[i].PID
		c.locate(&v.Caller, false)
	}
	v.PID = caller.PID
	return v
}

// attest attests an asker.
func (c *callers) attest(from asker) memory.Caller {
	caller, _ := c.identify(from)
	c.locate(&caller, false)
	return caller
}
