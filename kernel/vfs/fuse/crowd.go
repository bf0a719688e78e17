package fuse

import "time"

// A node belongs to one caller, so of many who open one device at the same moment
// each is told another one than those before. The kernel then throws away the name
// that it keeps for all, and asks again for everyone who was on the way to it: of n
// callers one gets on at a time, and n squared LOOKUPs are made. While that happens,
// up to maxJoined callers are told the same node. It is common: its size is zero, as
// in proc(5), and nothing of it is kept in the page cache, so none sees what is
// another's; each reads what is his by read(2). What splice(2) shows of it is empty.

const (
	maxJoined = 32                    // callers of one common node: their WRITEs run one after another
	joinTime  = 10 * time.Millisecond // how long a common node may be joined
	rushTime  = 5 * time.Millisecond  // a rush has passed when nobody came for so long
	hasty     = time.Millisecond      // a process that only looks takes longer to start than this
	rushed    = 16                    // nodes that were made for nothing make a rush
	maxRushed = 64
)

// rush counts, for one device, the nodes that were replaced at once and unopened,
// less the others.
type rush struct {
	last   time.Time
	wasted int
}

// rush notes that a LOOKUP finds a node, or none, that it may not be told, and
// reports whether there is a crowd. parent.mu is held.
func (n *node) rush(name string, found *node, now time.Time) bool {
	r := n.rushes[name]
	if now.Sub(r.last) > rushTime {
		r.wasted = 0
	}
	r.last = now
	switch {
	case found == nil:
	case found.wasted(now):
		r.wasted = min(r.wasted+1, maxRushed)
	default:
		r.wasted = max(r.wasted-1, 0)
	}
	if n.rushes == nil {
		n.rushes = map[string]rush{}
	}
	n.rushes[name] = r
	return r.wasted >= rushed
}

// wasted reports whether a node was made a moment ago, and not opened.
func (n *node) wasted(now time.Time) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return !n.opened && now.Sub(n.since) < hasty
}

// join reports whether one more caller may have a common node. parent.mu is held.
func (n *node) join(uid uint32, now time.Time) bool {
	if !n.common || n.uid != uid || n.joined >= maxJoined || now.Sub(n.since) > joinTime {
		return false
	}
	n.joined++
	return true
}
