package fuse

import (
	"encoding/binary"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// loop reads the kernel's requests and has go-fuse's protocol handle them. One
// goroutine at a time, the leader, waits in read(2); it answers what it has read
// itself and reads on, so that who asks again at once meets a thread that is awake,
// on his own processor. go-fuse's own loop keeps two or three threads in read(2).
// The kernel wakes the one that slept longest (an exclusive wait, fuse_dev_do_read in
// fs/fuse/dev.c), on another processor that sleeps; and as a rule that thread has no
// processor of Go's scheduler any more, and gets one when the runtime's monitor next
// looks. A read of status took twice as long by it.
//
// What may take long passes the lead on before it begins: every WRITE, and a LOOKUP
// while others wait. A request of which that was not expected loses the lead to the
// supervisor. Who has no lead any more takes what already waits in the device before
// it goes to sleep: with many writers nobody has to be woken for that.
type loop struct {
	device  *device
	handler *fuse.ProtocolServer // go-fuse calls it experimental: this file is all that depends on it

	// leading is the request that the leader answers, by the kernel's number; 0
	// while it reads. Who sets it from a number to 0 has the lead, and passes it on.
	leading    atomic.Uint64
	count      atomic.Uint64 // requests that were read
	supervised atomic.Bool

	lead    chan struct{} // the lead on its way to a follower
	waiting atomic.Int32  // followers
	gone    chan struct{} // closed when the kernel has nothing more to ask
	ended   sync.Once
	tasks   sync.WaitGroup
	pinned  gauge
}

const (
	followers = 8                    // that are kept waiting
	stuck     = 2 * time.Millisecond // after one to two of it a request loses the lead
)

// newLoop returns a loop over the device on which raw has agreed with the kernel. It
// owns the device.
func newLoop(d *device, fs fuse.RawFileSystem, raw *fuse.Server, opts *fuse.MountOptions) (*loop, error) {
	l := &loop{
		device: d, handler: fuse.NewProtocolServer(fs, opts),
		lead: make(chan struct{}, 1), gone: make(chan struct{}),
	}
	l.pinned.room.L = &l.pinned.mu
	if err := agree(l.handler, raw.KernelSettings()); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	return l, nil
}

// agree repeats to a handler what the kernel offered when the connection was made:
// then it knows what was agreed on.
func agree(handler *fuse.ProtocolServer, offer *fuse.InitIn) error {
	offer.InHeader = fuse.InHeader{Length: uint32(unsafe.Sizeof(*offer)), Opcode: opInit, Unique: 1}
	in, err := binary.Append(nil, binary.NativeEndian, offer)
	if err != nil {
		return fmt.Errorf("repeat what the kernel offered: %w", err)
	}
	if _, st := handler.HandleRequest([][]byte{in}, [][]byte{make([]byte, small)}); !st.Ok() {
		return errors.New("repeat what the kernel offered: " + st.String())
	}
	return nil
}

// serve returns when the kernel has nothing more to ask and everything is answered.
func (l *loop) serve(log *slog.Logger) {
	l.tasks.Go(l.follow)
	l.lead <- struct{}{}
	l.tasks.Wait()
	if err := l.device.Close(); err != nil {
		log.Warn("close the FUSE device", "error", err)
	}
}

// follow waits for the lead and has it until it is passed on, again and again.
func (l *loop) follow() {
	var r reader
	for {
		l.waiting.Add(1)
		select {
		case <-l.lead:
			l.waiting.Add(-1)
		case <-l.gone:
			return
		}
		for l.one(&r, true) {
			continue
		}
		for l.device.more() && l.one(&r, false) {
			continue
		}
		if l.waiting.Load() >= followers {
			return
		}
	}
}

// one reads a request and answers it. It reports whether to go on: a leader that lost
// the lead does not, nor does anybody when there is nothing more.
func (l *loop) one(r *reader, leads bool) bool {
	if !l.device.read(r) {
		l.ended.Do(func() { close(l.gone) })
		return false
	}
	if r.opcode == opWrite {
		l.pinned.add(len(r.request))
		defer l.pinned.sub(len(r.request))
	}
	if !leads {
		l.answer(r)
		return true
	}
	l.leading.Store(r.unique)
	l.count.Add(1)
	l.supervise()
	if r.opcode == opWrite || r.opcode == opLookup && l.device.more() {
		l.yield(r.unique)
	}
	l.answer(r)
	return l.leading.CompareAndSwap(r.unique, 0)
}

// answer has a request handled and sends the reply.
func (l *loop) answer(r *reader) {
	out := r.room()
	n, st := l.handler.HandleRequest([][]byte{r.request}, [][]byte{out})
	if !st.Ok() {
		n = failure(out, r.unique, st)
	}
	l.device.write(out[:n])
	r.free()
}

// yield passes the lead on if the request has it.
func (l *loop) yield(unique uint64) {
	if !l.leading.CompareAndSwap(unique, 0) {
		return
	}
	if l.waiting.Load() == 0 {
		l.tasks.Go(l.follow)
	}
	l.lead <- struct{}{} // has room: there is one lead
}

// supervise has somebody look whether the leader is stuck.
func (l *loop) supervise() {
	if !l.supervised.Load() && l.supervised.CompareAndSwap(false, true) {
		l.tasks.Go(l.look)
	}
}

// look takes the lead from a request that is still answered at the second look. It
// ends when nothing was read for a while.
func (l *loop) look() {
	t := time.NewTicker(stuck)
	defer t.Stop()
	var before, count uint64
	for idle := 0; ; {
		select {
		case <-t.C:
		case <-l.gone:
			return
		}
		now := l.leading.Load()
		if now != 0 && now == before {
			l.yield(now)
		}
		before = now
		if n := l.count.Load(); n != count {
			count, idle = n, 0
		} else if idle++; idle >= idleTicks && l.dismissed() {
			return
		}
	}
}

// dismissed reports whether nobody has to look any more: a request that came just
// now either sees that nobody does, or is seen here.
func (l *loop) dismissed() bool {
	l.supervised.Store(false)
	return l.leading.Load() == 0 || !l.supervised.CompareAndSwap(false, true)
}

// gauge bounds the bytes of requests that run at the same time.
type gauge struct {
	mu   sync.Mutex
	room sync.Cond
	used int
}

// maxPinned is what the requests that run may hold.
const maxPinned = 256 << 20

func (g *gauge) add(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.used > 0 && g.used+n > maxPinned {
		g.room.Wait()
	}
	g.used += n
}

func (g *gauge) sub(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.used -= n
	g.room.Broadcast()
}
