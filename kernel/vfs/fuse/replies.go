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
	alive func(attest.Link) bool
	now   func() time.Time
	limit int64 // bytes of replies of one user

	mu      sync.Mutex
	session map[place]*reply
	below   map[spot][]branch
	places  map[place]int // how many replies in below
	users   map[uint32]*shelf
}

// spot is an ancestor under which there are replies of a place.
type spot struct {
	place place
	pid   int
	id    uint64
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
}

// shelf is the replies of one user, oldest first.
type shelf struct {
	queue []*reply
	bytes int64
}

// crowd is how many branches may gather under one ancestor before the ended ones
// are looked for.
const crowd = 32

// replyCost is what a reply takes besides its body and for each ancestor.
const replyCost = 256

func (r *reply) cost() int64 { return int64(len(r.body) + replyCost + 64*len(r.chain)) }

func newBoard(alive func(attest.Link) bool, now func() time.Time, limit int64) *board {
	return &board{
		alive: alive, now: now, limit: limit,
		session: map[place]*reply{}, below: map[spot][]branch{}, places: map[place]int{}, users: map[uint32]*shelf{},
	}
}

// has reports whether there is any reply outside of sessions for the place; it is
// the cheap question to ask before an ancestry is read.
func (b *board) has(at place) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.places[at] > 0
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
		b.thin(crowded)
	}
}

// add stores a reply, and returns the ancestors under which many have gathered.
func (b *board) add(r *reply) (crowded []spot) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if r.chain == nil {
		b.session[r.at] = r
	} else {
		crowded = b.index(r)
	}
	b.shelve(r)
	return crowded
}

// index puts the reply under each ancestor that may stand for the asker: of the
// same user, and not init, under which everybody lives.
func (b *board) index(r *reply) (many []spot) {
	b.places[r.at]++
	for i, l := range r.chain {
		if !shared(l, r.at.uid) {
			continue
		}
		s := spot{r.at, l.PID, l.ID}
		br := branch{reply: r, child: l, self: i == 0}
		if i > 0 {
			br.child = r.chain[i-1]
		}
		list := b.below[s]
		if br.self {
			list = list[:0] // nothing older can win here any more
		}
		kept := list[:0]
		for _, old := range list {
			if old.child != br.child || old.self {
				kept = append(kept, old)
			}
		}
		clear(list[len(kept):])
		b.below[s] = append(kept, br)
		if n := len(kept); n >= crowd && n%(crowd/2) == 0 {
			many = append(many, s)
		}
	}
	return many
}

func shared(l attest.Link, uid uint32) bool { return l.PID != 1 && l.UID == uid }
