package fuse

import (
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// recentAge bounds how long after one LOOKUP its content may serve the next.
const recentAge = 20 * time.Millisecond

// recent spares the second of the two LOOKUPs of one open(2): since entries have
// no lifetime, the kernel first revalidates the old one, is told another node,
// and looks up again. What the first made is kept for the same thread, is taken
// by the second, and dropped by anything else that thread does or when any
// request has run since.
type recent struct {
	slots [256]struct {
		mu sync.Mutex
		lookup
	}
}

type lookup struct {
	pid      uint32 // thread id; 0: empty
	uid, gid uint32
	device   vfs.Device
	session  string
	epoch    uint64
	at       time.Time
	content  []byte
}

// once returns the content that the same thread's last LOOKUP left, or makes it.
func (r *recent) once(h *fuse.InHeader, session string, d vfs.Device, epoch uint64, now time.Time, content func() []byte) []byte {
	if h.Pid == 0 {
		return content()
	}
	s := &r.slots[h.Pid%uint32(len(r.slots))]
	s.mu.Lock()
	old := s.lookup
	s.lookup = lookup{}
	s.mu.Unlock()
	age := now.Sub(old.at)
	if old.pid == h.Pid && old.uid == h.Uid && old.gid == h.Gid && old.device == d && old.session == session &&
		old.epoch == epoch && age >= 0 && age < recentAge {
		return old.content
	}
	made := content()
	s.mu.Lock()
	s.lookup = lookup{h.Pid, h.Uid, h.Gid, d, session, epoch, now, made}
	s.mu.Unlock()
	return made
}

// forget drops what the thread's last LOOKUP left.
func (r *recent) forget(pid uint32) {
	s := &r.slots[pid%uint32(len(r.slots))]
	s.mu.Lock()
	if s.pid == pid {
		s.lookup = lookup{}
	}
	s.mu.Unlock()
}
