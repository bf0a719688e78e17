package fuse

import (
	"slices"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// ofSession returns the last reply of a session's device, or nil.
func (b *board) ofSession(at place) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.session[at]
	if r == nil || b.now().Sub(r.stored) > replyAge {
		return nil
	}
	return r.body
}

// ofChain returns the reply that is the reader's, whose ancestry is given, or nil.
func (b *board) ofChain(at place, reader attest.Chain) []byte {
	for i, l := range reader {
		if !shared(l, at.uid) {
			continue
		}
		var own attest.Link // the reader's side below l, which runs
		if i > 0 {
			own = reader[i-1]
		}
		if r, _ := b.newestOpen(spot{at, l.PID, l.ID}, own); r != nil {
			return r.body
		}
	}
	return nil
}

// newestOpen returns the newest reply under an ancestor that is open to its other
// branches: its writer is the ancestor itself, or the branch that it came by has
// ended. older is how many were passed over as older than that one.
func (b *board) newestOpen(s spot, own attest.Link) (r *reply, older int) {
	b.mu.Lock()
	list := slices.Clone(b.below[s])
	b.mu.Unlock()
	now := b.now()
	for i, br := range slices.Backward(list) {
		if now.Sub(br.reply.stored) > replyAge {
			return nil, 0 // and all before it
		}
		// The system call comes without the lock.
		if br.self || br.child != own && !b.alive(br.child) {
			return br.reply, i
		}
	}
	return nil, 0
}

// thin drops the replies under an ancestor that can't win there any more.
func (b *board) thin(s spot) {
	open, older := b.newestOpen(s, attest.Link{})
	if older == 0 {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	list := b.below[s]
	if i := slices.IndexFunc(list, func(br branch) bool { return br.reply == open }); i > 0 {
		b.below[s] = slices.Clone(list[i:])
	}
}

// shelve queues a reply, and lets go of the user's oldest: those too old to be
// read, and those over the limit. The caller holds b.mu.
func (b *board) shelve(r *reply) {
	sh := b.users[r.at.uid]
	if sh == nil {
		sh = &shelf{}
		b.users[r.at.uid] = sh
	}
	sh.queue = append(sh.queue, r)
	sh.bytes += r.cost()
	for len(sh.queue) > 1 {
		first := sh.queue[0]
		if r.stored.Sub(first.stored) <= replyAge && sh.bytes <= b.limit {
			break
		}
		sh.queue[0] = nil
		sh.queue = sh.queue[1:]
		sh.bytes -= first.cost()
		b.remove(first)
	}
}

// remove takes a reply out of the index. The caller holds b.mu.
func (b *board) remove(r *reply) {
	if r.chain == nil {
		if b.session[r.at] == r {
			delete(b.session, r.at)
		}
		return
	}
	for _, l := range r.chain {
		s := spot{r.at, l.PID, l.ID}
		list, ok := b.below[s]
		if !ok {
			continue
		}
		list = slices.DeleteFunc(list, func(br branch) bool { return br.reply == r })
		if len(list) == 0 {
			delete(b.below, s)
		} else {
			b.below[s] = list
		}
	}
	if b.places[r.at]--; b.places[r.at] == 0 {
		delete(b.places, r.at)
	}
}
