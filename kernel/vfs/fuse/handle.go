package fuse

import (
	"sync"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// handle is one open file, with requests and replies of its own. It is shared by all
// processes of its user that inherited the descriptor, or were passed it. For another
// user it answers EACCES: a program of root's that was given it as its output would ask
// with root's rights, and the one who opened it would read the reply.
type handle struct {
	node    *node
	uid     uint32
	writes  bool // it may be written to: what it reads is the transcript
	reads   bool
	content []byte          // what it reads when it may not be written to
	names   []fuse.DirEntry // of a folder below memories/

	mu     sync.Mutex
	frame  framer
	held   int64  // bytes of frame that are counted against the user
	unread int64  // and of talk
	owner  uint64 // lock owner of the last WRITE
	talk   transcript
	poison fuse.Status // answer of further writes after a failure, 0 for none
	stuck  bool        // the poison yields to FLUSH and READ alone
	again  retry
	edit   *edit // below memories/, in the place of requests and replies
}

// retry is the failure behind a short count: the caller writes the rest again, and
// is then told why, without a second run.
type retry struct {
	request []byte
	result  vfs.Result
}

// take returns the remembered failure of exactly this request, once.
func (r *retry) take(request []byte) (vfs.Result, bool) {
	old := *r
	*r = retry{}
	return old.result, old.request != nil && string(old.request) == string(request)
}

// heal lets the handle take requests again after a failure.
func (h *handle) heal() { h.poison, h.stuck = 0, false }

// fail makes further writes answer the same, for a writer that goes on sending
// the rest of a request that failed, or of bytes that never were one.
func (h *handle) fail(st fuse.Status, stuck bool) {
	h.poison, h.stuck = st, h.stuck || stuck
}

// count counts the unread replies of the descriptor against the user, or drops them.
func (h *handle) count(u *users) {
	extra := h.talk.extra()
	if extra != h.unread && !u.change(h.uid, usage{unread: extra - h.unread}) {
		u.change(h.uid, usage{unread: -h.unread})
		h.talk.shorten()
		extra = 0
	}
	h.unread = extra
}

// hold counts the bytes of the unfinished request against the user; false, with
// nothing counted, when they are too many.
func (h *handle) hold(u *users) bool {
	bytes := int64(h.frame.pending())
	if !u.change(h.uid, usage{pending: bytes - h.held}) {
		u.change(h.uid, usage{pending: -h.held})
		h.held = 0
		return false
	}
	h.held = bytes
	return true
}
