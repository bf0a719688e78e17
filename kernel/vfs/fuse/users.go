package fuse

import (
	"cmp"
	"sync"
)

// Limits are what one user can make the server hold at a time.
type Limits struct {
	Handles int   // open files
	Pending int64 // bytes of requests that are unfinished or run: a large one takes five times its size while it is judged
	Running int   // requests that run, also after their caller was told ETIMEDOUT
	Replies int64 // bytes of replies that are kept for readers
	Unread  int64 // bytes of unread replies that descriptors keep, beyond 64 KiB each
}

// defaultLimits leave room for 10,000 open files. Running stays below what
// MaxInflightRequestBytes admits, so that one user can't starve the others.
var defaultLimits = Limits{Handles: 16384, Pending: 3 << 20, Running: 256, Replies: 16 << 20, Unread: 128 << 20}

func (l Limits) orDefault() Limits {
	d := defaultLimits
	return Limits{
		Handles: cmp.Or(l.Handles, d.Handles),
		Pending: cmp.Or(l.Pending, d.Pending),
		Running: cmp.Or(l.Running, d.Running),
		Replies: cmp.Or(l.Replies, d.Replies),
		Unread:  cmp.Or(l.Unread, d.Unread),
	}
}

// users counts what each user holds, and bounds it. A user without anything takes no
// room.
type users struct {
	limits Limits
	mu     sync.Mutex
	m      map[uint32]usage
}

type usage struct {
	handles int
	pending int64
	running int
	unread  int64
}

func (d usage) negative() usage { return usage{-d.handles, -d.pending, -d.running, -d.unread} }

// change adds to what a user holds, or leaves it as it was and returns false when
// that would be over a limit. Giving back always succeeds.
func (u *users) change(uid uint32, d usage) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	was := u.m[uid]
	is := usage{was.handles + d.handles, was.pending + d.pending, was.running + d.running, was.unread + d.unread}
	if d.handles > 0 && is.handles > u.limits.Handles ||
		d.pending > 0 && is.pending > u.limits.Pending ||
		d.running > 0 && is.running > u.limits.Running ||
		d.unread > 0 && is.unread > u.limits.Unread {
		return false
	}
	if is == (usage{}) {
		delete(u.m, uid)
	} else {
		u.m[uid] = is
	}
	return true
}
