package watch

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// mask is what happens in a folder that matters. ATTRIB is a file that becomes
// readable; MODIFY is there for truncate(2), which closes nothing.
const mask = unix.IN_CREATE | unix.IN_CLOSE_WRITE | unix.IN_MODIFY | unix.IN_ATTRIB |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

// inotify is an inotify(7) instance. What happens is fetched when the watcher wants
// it, and not when it happens: who writes five times for a change would otherwise
// be interrupted five times by the thread that reads of it, which is a tenth of
// what the change costs.
type inotify struct {
	fd, bell int // bell is an eventfd(2) that ends a wait
	buf      []byte

	mu    sync.Mutex
	paths map[int32]string // by watch descriptor
	wds   map[string]int32
}

// newInotify returns an instance. Its error names the limit that was met.
func newInotify() (*inotify, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, os.NewSyscallError("inotify_init1", err)
	}
	bell, err := unix.Eventfd(0, unix.EFD_CLOEXEC|unix.EFD_NONBLOCK)
	if err != nil {
		return nil, errors.Join(os.NewSyscallError("eventfd", err), unix.Close(fd))
	}
	return &inotify{fd: fd, bell: bell, buf: make([]byte, 64<<10), paths: map[int32]string{}, wds: map[string]int32{}}, nil
}

// add watches a folder; one that is watched already stays so.
func (n *inotify) add(path string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	wd, err := unix.InotifyAddWatch(n.fd, path, mask)
	if err != nil {
		return &fs.PathError{Op: "inotify_add_watch", Path: path, Err: err}
	}
	if old, ok := n.paths[int32(wd)]; ok && old != path { // the folder was renamed
		delete(n.wds, old)
	}
	n.paths[int32(wd)], n.wds[path] = path, int32(wd)
	return nil
}

// remove ends a watch, if there is one.
func (n *inotify) remove(path string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if wd, ok := n.wds[path]; ok {
		_, _ = unix.InotifyRmWatch(n.fd, uint32(wd)) // gone already: that is what was wanted
		n.forget(wd)
	}
}

// forget drops a watch descriptor. mu is held.
func (n *inotify) forget(wd int32) {
	path := n.paths[wd]
	delete(n.paths, wd)
	if n.wds[path] == wd {
		delete(n.wds, path)
	}
}

func (n *inotify) watched(path string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, ok := n.wds[path]
	return ok
}

func (n *inotify) list() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]string, 0, len(n.wds))
	for path := range n.wds {
		out = append(out, path)
	}
	return out
}

// wait waits for an event, at most so long, or for ever if it is negative. It
// reports false when [inotify.ring] was called.
func (n *inotify) wait(most time.Duration) (going bool, err error) {
	for {
		timeout := -1
		if most >= 0 {
			timeout = int((most + time.Millisecond - 1) / time.Millisecond)
		}
		polled := []unix.PollFd{{Fd: int32(n.bell), Events: unix.POLLIN}, {Fd: int32(n.fd), Events: unix.POLLIN}}
		_, err := unix.Poll(polled, timeout)
		if errors.Is(err, unix.EINTR) {
			continue // the runtime's own signals; the wait is a hint only
		}
		return polled[0].Revents == 0, os.NewSyscallError("poll", err)
	}
}

// rest waits for the bell alone.
func (n *inotify) rest(d time.Duration) (going bool) {
	polled := []unix.PollFd{{Fd: int32(n.bell), Events: unix.POLLIN}}
	_, _ = unix.Poll(polled, int((d+time.Millisecond-1)/time.Millisecond)) // cut short by a signal, it is a shorter rest
	return polled[0].Revents == 0
}

// read takes what has happened: it calls each with the path of every file, and
// reports whether the kernel lost events.
func (n *inotify) read(each func(path string)) (some, lost bool, err error) {
	for {
		size, err := unix.Read(n.fd, n.buf)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case errors.Is(err, unix.EAGAIN):
			return some, lost, nil
		case err != nil:
			return some, lost, os.NewSyscallError("read", err)
		}
		some = true
		lost = n.parse(n.buf[:size], each) || lost
	}
}

// parse goes through events as the kernel writes them: wd, mask, cookie, the
// length of the name and the name, padded with zeros (inotify(7)).
func (n *inotify) parse(b []byte, each func(path string)) (lost bool) {
	for len(b) >= unix.SizeofInotifyEvent {
		wd := int32(binary.NativeEndian.Uint32(b))
		what := binary.NativeEndian.Uint32(b[4:])
		end := unix.SizeofInotifyEvent + int(binary.NativeEndian.Uint32(b[12:]))
		if end > len(b) {
			return true
		}
		name, _, _ := bytes.Cut(b[unix.SizeofInotifyEvent:end], []byte{0})
		b = b[end:]
		if what&unix.IN_Q_OVERFLOW != 0 {
			lost = true
			continue
		}
		n.mu.Lock()
		path, ok := n.paths[wd]
		switch {
		case what&unix.IN_IGNORED != 0:
			n.forget(wd)
		case what&unix.IN_MOVE_SELF != 0: // it is watched anew, where it belongs
			_, _ = unix.InotifyRmWatch(n.fd, uint32(wd))
			n.forget(wd)
		}
		n.mu.Unlock()
		if ok && len(name) > 0 {
			path = filepath.Join(path, string(name))
		}
		if ok {
			each(path)
		}
	}
	return lost
}

// ring ends the present wait and every later one.
func (n *inotify) ring() error {
	_, err := unix.Write(n.bell, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	return os.NewSyscallError("write", err)
}

// close ends all watches. Nobody waits.
func (n *inotify) close() error {
	return errors.Join(os.NewSyscallError("close", unix.Close(n.fd)), os.NewSyscallError("close", unix.Close(n.bell)))
}
