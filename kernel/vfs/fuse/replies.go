package fuse

import (
	"sync"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// replyAge is how long a reply can be read.
const replyAge = 10 * time.Minute

// place is where a reply belongs: the device of a user, within a session or
// outside of any.
type place struct {
	uid             uint32
	session, device string
}

func placeOf(in *fuse.InHeader, n *node) place {
	return place{in.Uid, n.session, n.device.Name()}
}

// board keeps replies for those who asked, and finds them by nearest common
// ancestor: walking up from the reader, the first process that is also an
// ancestor of a writer, if what lies between it and the writer has ended. A
// branch that still runs is another agent. Reading does not consume.
//
// Replies are indexed by each ancestor of their writer, newest last. Under one
// ancestor a reply can win only if no newer one is open to all, that is if no
// newer one's branch has ended; so an older reply is dropped when a newer one of
// the same branch comes, or one whose branch is seen to have ended.
type board struct {
	living func() func(attest.Link) bool // what tells at this moment whether processes run
	now    func() time.Time
	limit  int64 // bytes of replies of one user

	mu     sync.Mutex
	places map[place]*replies
	users  map[uint32]*shelf
}

// replies are those of one place.
type replies struct {
	session *reply // within a session, the last
	below   map[ancestor][]branch
	n       int // replies that can still be found
}

// ancestor names a process under which there are replies.
type ancestor struct {
	pid int
	id  uint64
}

// branch is a reply as seen from an ancestor: by which child it came.
type branch struct {
	reply *reply
	child attest.Link // the ancestor's child on the writer's side; itself when it wrote
	self  bool        // the ancestor is the writer
}

type reply struct {
	at     place
	body   []byte
	chain  attest.Chain // nil in a session
	stored time.Time
	found  int // branches by which it can be found; 0: it is gone
}

// crowd is how many branches may gather under one ancestor before the ended ones
// are looked for.
const crowd = 32

// cost is what a reply takes: its body, itself, and its branches.
func (r *reply) cost() int64 { return int64(len(r.body) + 256 + 64*len(r.chain)) }

func newBoard(living func() func(attest.Link) bool, now func() time.Time, limit int64) *board {
	return &board{living: living, now: now, limit: limit, places: map[place]*replies{}, users: map[uint32]*shelf{}}
}

// has reports whether there is any reply for the place; it is the cheap question
// to ask before an ancestry is read.
func (b *board) has(at place) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.places[at] != nil
}

// put keeps a reply for the writer's side. Without a session and without a chain
// nobody could be told to be its asker, and it is not kept.
func (b *board) put(at place, chain attest.Chain, body []byte, now time.Time) {
	if at.session == "" && len(chain) == 0 || len(body) == 0 {
		return
	}
	r := &reply{at: at, body: body, stored: now}
	if at.session == "" {
		r.chain = chain
	}
	for _, crowded := range b.add(r) {
		b.thin(at, crowded)
	}
}

// add stores a reply, and returns the ancestors under which many have gathered.
func (b *board) add(r *reply) (crowded []ancestor) {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[r.at]
	if p == nil {
		p = &replies{below: map[ancestor][]branch{}}
		b.places[r.at] = p
	}
	p.n++
	if r.chain == nil {
		r.found = 1
		old := p.session
		p.session = r
		b.lose(p, old)
	} else {
		crowded = b.index(p, r)
	}
	if r.found == 0 { // no ancestor may stand for the asker
		b.gone(p, r)
		return nil
	}
	b.shelve(r)
	return crowded
}

// index puts the reply under each ancestor that may stand for the asker: of the
// same user, and not init, under which everybody lives.
func (b *board) index(p *replies, r *reply) (crowded []ancestor) {
	for i, l := range r.chain {
		if !shared(l, r.at.uid) {
			continue
		}
		r.found++
		by := branch{reply: r, child: l, self: i == 0}
		if i > 0 {
			by.child = r.chain[i-1]
		}
		a := ancestor{l.PID, l.ID}
		list := p.below[a]
		kept := list[:0]
		for _, old := range list {
			// Nothing older can win where the ancestor wrote itself.
			if by.self || !old.self && old.child == by.child {
				b.lose(p, old.reply)
			} else {
				kept = append(kept, old)
			}
		}
		clear(list[len(kept):])
		p.below[a] = append(kept, by)
		if n := len(kept); n >= crowd && n%(crowd/2) == 0 {
			crowded = append(crowded, a)
		}
	}
	return crowded
}

// lose takes one branch from a reply, which is gone with the last.
func (b *board) lose(p *replies, r *reply) {
	if r == nil || r.found == 0 {
		return
	}
	if r.found--; r.found > 0 {
		return
	}
	b.users[r.at.uid].lost(r)
	b.gone(p, r)
}

func (b *board) gone(p *replies, r *reply) {
	if p.n--; p.n == 0 {
		delete(b.places, r.at)
	}
}

func shared(l attest.Link, uid uint32) bool { return l.PID != 1 && l.UID == uid }
