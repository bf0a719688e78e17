package fuse

import (
	"container/list"
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// replyAge is how long a reply can be read.
const replyAge = 10 * time.Minute

// replies is the reply cache. It keeps replies for those who asked, and finds them
// by the nearest common ancestor: walking up from the reader, the first process that
// is also an ancestor of a writer, if the branch between it and the writer has
// ended. A branch that still runs is another agent. Reading does not consume.
//
// Replies are indexed by each ancestor of their writer, newest last. Below one
// ancestor a reply can't be found any more once there is a newer one of the same
// branch, or one whose branch has ended, and is dropped when that is seen. Of each
// user the least recent ones are dropped that are too old, or too many.
type replies struct {
	alive func(attest.Link) bool
	now   func() time.Time
	limit int64 // bytes of replies of one user

	mu       sync.Mutex
	sessions map[place]*reply // the last one
	below    map[ancestor][]branch
	count    map[place]int      // replies that can be found
	users    map[uint32]*recent // by user
}

// ancestor is a process below which there are replies of a place.
type ancestor struct {
	at place
	attest.Link
}

// branch is a reply as seen from an ancestor: by which child it came.
type branch struct {
	*reply
	child attest.Link // the ancestor's child on the writer's side; itself when it wrote
}

type reply struct {
	at     place
	body   []byte
	chain  attest.Chain // nil in a session
	stored time.Time
	found  int           // branches by which it can be found; 0: it is gone
	queued *list.Element // in the user's queue
}

// cost is what a reply takes: its body, itself, its chain, and a branch with a key of
// its own for each ancestor.
func (r *reply) cost() int64 { return int64(cap(r.body) + 256 + 24*cap(r.chain) + 256*len(r.chain)) }

// recent is the replies of one user, oldest first.
type recent struct {
	queue *list.List
	bytes int64
}

func newReplies(alive func(attest.Link) bool, now func() time.Time, limit int64) *replies {
	return &replies{
		alive: alive, now: now, limit: limit, sessions: map[place]*reply{},
		below: map[ancestor][]branch{}, count: map[place]int{}, users: map[uint32]*recent{},
	}
}

// put keeps a reply for the writer's side. Without a session and without a chain
// nobody could be told to be its asker, and it is not kept.
func (c *replies) put(at place, chain attest.Chain, body []byte) {
	if at.session == "" && len(chain) == 0 || len(body) == 0 {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	r := &reply{at: at, body: body, stored: c.now()}
	if at.session != "" {
		r.found = 1
		if old := c.sessions[at]; old != nil {
			c.lose(old)
		}
		c.sessions[at] = r
	} else {
		r.chain = chain
		c.index(r)
	}
	if r.found > 0 { // else no ancestor may stand for the asker
		c.count[at]++
		c.queue(r)
	}
}

// index puts a reply below each ancestor that may stand for the asker. The caller
// holds c.mu.
func (c *replies) index(r *reply) {
	for i, l := range r.chain {
		if !standsFor(l, r.at.uid) {
			continue
		}
		r.found++
		by := branch{reply: r, child: r.chain[max(i-1, 0)]}
		a := ancestor{r.at, l}
		c.below[a] = append(c.supersede(c.below[a], l, by.child), by)
		if n := len(c.below[a]); n%32 == 0 {
			c.thin(a)
		}
	}
}

// supersede drops the branches that a newer one by the same child replaces: all,
// where the ancestor wrote itself.
func (c *replies) supersede(old []branch, a, child attest.Link) []branch {
	return slices.DeleteFunc(old, func(b branch) bool {
		gone := child == a || b.child == child
		if gone {
			c.lose(b.reply)
		}
		return gone
	})
}

// newest returns the index of the newest reply below an ancestor that is open to its
// other branches, or -1: its writer is the ancestor itself, or the branch that it came
// by has ended. own is the branch that asks, zero where the ancestor does. Init, below
// which every process lives, has to be the one who asks or the one who wrote. The caller
// holds c.mu; to ask whether a process runs does not wait.
func (c *replies) newest(a ancestor, own attest.Link) int {
	now := c.now()
	for i, by := range slices.Backward(c.below[a]) {
		if now.Sub(by.stored) > replyAge {
			break // and all before it
		}
		if by.child != a.Link && (by.child == own || c.alive(by.child)) {
			continue
		}
		if a.PID == 1 && by.child != a.Link && own != (attest.Link{}) {
			return -1 // of a stranger, whom init adopted
		}
		return i
	}
	return -1
}

// thin drops the replies below an ancestor that can't win there any more. The caller
// holds c.mu.
func (c *replies) thin(a ancestor) {
	all := c.below[a]
	i := max(c.newest(a, attest.Link{}), 0)
	c.below[a] = slices.Clone(all[i:])
	for _, old := range all[:i] {
		c.lose(old.reply)
	}
}

// queue queues a reply, and drops the user's oldest: those too old to be read, and
// those over the limit. The caller holds c.mu.
func (c *replies) queue(r *reply) {
	u := c.users[r.at.uid]
	if u == nil {
		u = &recent{queue: list.New()}
		c.users[r.at.uid] = u
	}
	r.queued = u.queue.PushBack(r)
	u.bytes += r.cost()
	for u.queue.Len() > 1 {
		oldest, ok := u.queue.Front().Value.(*reply)
		if !ok || r.stored.Sub(oldest.stored) <= replyAge && u.bytes <= c.limit {
			return
		}
		c.remove(oldest)
	}
}

// lose takes one branch from a reply, which is gone with the last. The caller holds
// c.mu.
func (c *replies) lose(r *reply) {
	if r.found--; r.found > 0 || r.queued == nil {
		return
	}
	u := c.users[r.at.uid]
	u.queue.Remove(r.queued)
	u.bytes -= r.cost()
	if c.count[r.at]--; c.count[r.at] == 0 {
		delete(c.count, r.at)
	}
}

// remove takes a reply out of the index. The caller holds c.mu.
func (c *replies) remove(r *reply) {
	if c.sessions[r.at] == r {
		delete(c.sessions, r.at)
		c.lose(r)
	}
	for _, l := range r.chain {
		a := ancestor{r.at, l}
		i := slices.IndexFunc(c.below[a], func(b branch) bool { return b.reply == r })
		if i < 0 {
			continue
		}
		if c.below[a] = slices.Delete(c.below[a], i, i+1); len(c.below[a]) == 0 {
			delete(c.below, a)
		}
		c.lose(r)
	}
}

// has reports whether there is any reply for the place; it is the cheap question
// to ask before an ancestry is read.
func (c *replies) has(at place) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.count[at] > 0
}

// ofSession returns the last reply of a session's device, or nil.
func (c *replies) ofSession(at place) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.sessions[at]
	if r == nil || c.now().Sub(r.stored) > replyAge {
		return nil
	}
	return r.body
}

// ofChain returns the reply that is the reader's, whose ancestry is given, or nil.
func (c *replies) ofChain(at place, reader attest.Chain) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for i, l := range reader {
		if !standsFor(l, at.uid) {
			continue
		}
		var own attest.Link // the reader's side below l, which runs
		if i > 0 {
			own = reader[i-1]
		}
		a := ancestor{at, l}
		if i := c.newest(a, own); i >= 0 {
			return c.below[a][i].body
		}
	}
	return nil
}

// standsFor reports whether an ancestor may stand for an asker: it belongs to the
// same user.
func standsFor(l attest.Link, uid uint32) bool { return l.UID == uid }
