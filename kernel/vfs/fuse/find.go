package fuse

import (
	"slices"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// ofSession returns the last reply of a session's device, or nil.
func (b *board) ofSession(at place) []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[at]
	if p == nil || p.session == nil || b.now().Sub(p.session.stored) > replyAge {
		return nil
	}
	return p.session.body
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
		if body, _ := b.newestOpen(at, ancestor{l.PID, l.ID}, own); body != nil {
			return body
		}
	}
	return nil
}

// newestOpen returns the newest reply under an ancestor that is open to its other
// branches: its writer is the ancestor itself, or the branch that it came by has
// ended. open is that branch.
func (b *board) newestOpen(at place, a ancestor, own attest.Link) (body []byte, open branch) {
	now, branches := b.now(), b.branches(at, a)
	if len(branches) == 0 {
		return nil, branch{}
	}
	// The system calls come without the lock.
	alive := b.living()
	for _, by := range branches {
		if now.Sub(by.stored) > replyAge {
			break // and all that follow
		}
		if by.self || by.child != own && !alive(by.child) {
			return by.body, by.branch
		}
	}
	return nil, branch{}
}

// seen is a branch with what of its reply the lock guards.
type seen struct {
	branch
	body   []byte
	stored time.Time
}

// branches copies those under an ancestor, newest first, up to the first that is
// open without asking.
func (b *board) branches(at place, a ancestor) []seen {
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[at]
	if p == nil {
		return nil
	}
	var out []seen
	for _, by := range slices.Backward(p.below[a]) {
		out = append(out, seen{by, by.reply.body, by.reply.stored})
		if by.self {
			break
		}
	}
	return out
}

// thin drops the replies under an ancestor that can't win there any more.
func (b *board) thin(at place, a ancestor) {
	_, open := b.newestOpen(at, a, attest.Link{})
	if open.reply == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	p := b.places[at]
	if p == nil {
		return
	}
	list := p.below[a]
	i := slices.Index(list, open)
	if i <= 0 {
		return
	}
	p.below[a] = slices.Clone(list[i:])
	for _, by := range list[:i] {
		b.lose(p, by.reply)
	}
}
