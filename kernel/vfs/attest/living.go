package attest

import (
	"cmp"
	"sync"

	"golang.org/x/sys/unix"
)

// maxWatched bounds the processes that are watched, each by a descriptor.
const maxWatched = 1024

// living watches processes of which it was asked whether they run, so that asking
// again for hundreds costs one system call: their pidfds are in an epoll(7) set,
// which tells of those that ended.
type living struct {
	mu    sync.Mutex
	set   int // the epoll descriptor, from the first process on
	fds   map[Link]int32
	links map[int32]Link
	most  int // that are watched; 0: maxWatched
}

// Living returns what tells of processes whether they run now: not ended, and not
// a zombie. It holds for the moment, and is for one goroutine.
func (a *Attester) Living() func(Link) bool {
	if !a.pidfs {
		return a.Alive
	}
	w := &a.living
	w.mu.Lock()
	w.reap()
	w.mu.Unlock()
	return func(l Link) bool {
		w.mu.Lock()
		_, watched := w.fds[l]
		w.mu.Unlock()
		return watched || w.watch(l)
	}
}

// reap forgets those that ended. The caller holds mu.
func (w *living) reap() {
	var events [64]unix.EpollEvent
	for len(w.fds) > 0 {
		n, err := unix.EpollWait(w.set, events[:], 0)
		if err == unix.EINTR {
			continue
		}
		if err != nil {
			w.clear()
		}
		for _, e := range events[:max(n, 0)] {
			w.drop(e.Fd)
		}
		if n < len(events) {
			return
		}
	}
}

// watch reports whether a process runs, and goes on watching it then.
func (w *living) watch(l Link) bool {
	fd, ok := openRunning(l)
	if !ok {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if _, twice := w.fds[l]; twice || !w.add(l, fd) {
		unix.Close(fd)
	}
	return true
}

// add takes a process in; false where that is not possible. The caller holds mu.
func (w *living) add(l Link, fd int) bool {
	if w.fds == nil {
		set, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
		if err != nil {
			return false
		}
		w.set, w.fds, w.links = set, map[Link]int32{}, map[int32]Link{}
	}
	for _, other := range w.fds { // any: one that is asked for again comes back
		if len(w.fds) < cmp.Or(w.most, maxWatched) {
			break
		}
		w.drop(other)
	}
	event := unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)}
	if unix.EpollCtl(w.set, unix.EPOLL_CTL_ADD, fd, &event) != nil {
		return false
	}
	w.fds[l], w.links[int32(fd)] = int32(fd), l
	return true
}

// drop closes a pidfd, which takes it out of the set. The caller holds mu.
func (w *living) drop(fd int32) {
	unix.Close(int(fd))
	delete(w.fds, w.links[fd])
	delete(w.links, fd)
}

// clear forgets all. The caller holds mu.
func (w *living) clear() {
	for fd := range w.links {
		unix.Close(int(fd))
	}
	if w.fds != nil {
		unix.Close(w.set)
	}
	w.fds, w.links = nil, nil
}
