package fuse

import (
	"encoding/binary"
	"fmt"
	"log/slog"
	"sync"
	"unsafe"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// device is a descriptor of /dev/fuse: each read(2) is a request, each write(2) a
// reply (fuse(4)).
type device struct {
	fd  int
	log *slog.Logger
}

// Opcodes, from include/uapi/linux/fuse.h.
const (
	opLookup  = 1
	opRead    = 15
	opWrite   = 16
	opInit    = 26
	opReaddir = 28
)

// Sizes of the protocol's heads, in bytes.
const (
	sizeofIn   = int(unsafe.Sizeof(fuse.InHeader{}))
	sizeofOut  = int(unsafe.Sizeof(fuse.OutHeader{}))
	sizeofRead = int(unsafe.Sizeof(fuse.ReadIn{}))
)

const (
	// maxRequest is what read(2) must have room for: a WRITE and its head.
	maxRequest = maxWrite + 4<<10
	// maxReply is a READ's: as much as was agreed on, and its head.
	maxReply = maxWrite + 4<<10
	// small is the size of a request that is copied, so that the buffer that was
	// read into can be read into again while it runs, and of most replies.
	small = 8 << 10
)

// Large buffers that nobody uses now.
var largeRequests, largeReplies sync.Pool

func buffer(pool *sync.Pool, size int) *[]byte {
	if b, ok := pool.Get().(*[]byte); ok {
		return b
	}
	b := make([]byte, size)
	return &b
}

// openDevice returns a device of its own for the one with a descriptor: both read
// the same requests.
func openDevice(fd int, log *slog.Logger) (*device, error) {
	own, err := unix.FcntlInt(uintptr(fd), unix.F_DUPFD_CLOEXEC, 3)
	if err != nil {
		return nil, fmt.Errorf("duplicate the FUSE device: %w", err)
	}
	return &device{fd: own, log: log}, nil
}

// Close closes the descriptor.
func (d *device) Close() error { return unix.Close(d.fd) }

// reader is what one goroutine reads into and replies from.
type reader struct {
	request []byte
	opcode  uint32
	unique  uint64

	large  *[]byte // holds a request that is not small
	reply  *[]byte // holds a reply that is not small
	copied [small]byte
	out    [small]byte
}

// room is where the reply goes.
func (r *reader) room() []byte {
	if r.reply == nil {
		return r.out[:]
	}
	return *r.reply
}

// free gives the large buffers back.
func (r *reader) free() {
	if r.large != nil {
		largeRequests.Put(r.large)
	}
	if r.reply != nil {
		largeReplies.Put(r.reply)
	}
	r.request, r.large, r.reply = nil, nil, nil
}

// read takes the next request; false: there will be none.
func (d *device) read(r *reader) bool {
	buf := buffer(&largeRequests, maxRequest)
	for {
		n, err := unix.Read(d.fd, *buf)
		switch {
		case err == nil && n >= sizeofIn:
			r.take(buf, n)
			return true
		// ENOENT: it was interrupted while it was being read (fuse_dev_do_read).
		case err == nil, err == unix.ENOENT, err == unix.EINTR, err == unix.EAGAIN:
			continue
		case err != unix.ENODEV: // which is how a mount ends
			d.log.Error("read from the FUSE device", "error", err)
		}
		largeRequests.Put(buf)
		return false
	}
}

func (r *reader) take(buf *[]byte, n int) {
	if n <= small {
		r.request = r.copied[:copy(r.copied[:], (*buf)[:n])]
		largeRequests.Put(buf)
	} else {
		r.request, r.large = (*buf)[:n], buf
	}
	r.opcode = binary.NativeEndian.Uint32(r.request[4:])
	r.unique = binary.NativeEndian.Uint64(r.request[8:])
	if (r.opcode == opRead || r.opcode == opReaddir) && n >= sizeofRead {
		if size := binary.NativeEndian.Uint32(r.request[sizeofIn+16:]); size > small/2 {
			r.reply = buffer(&largeReplies, maxReply)
		}
	}
}

// write sends a reply, if there is one. That nobody waits for it any more is no
// fault.
func (d *device) write(reply []byte) {
	if len(reply) == 0 {
		return
	}
	if _, err := unix.Write(d.fd, reply); err != nil && err != unix.ENOENT && err != unix.ENODEV {
		d.log.Warn("write to the FUSE device", "error", err)
	}
}

// failure makes a reply that says no more than that it failed, and returns its size.
func failure(out []byte, unique uint64, st fuse.Status) int {
	binary.NativeEndian.PutUint32(out[0:], uint32(sizeofOut))
	binary.NativeEndian.PutUint32(out[4:], uint32(-int32(st)))
	binary.NativeEndian.PutUint64(out[8:], unique)
	return sizeofOut
}

// more reports whether another request stands ready to be read.
func (d *device) more() bool {
	fds := []unix.PollFd{{Fd: int32(d.fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0 && fds[0].Revents&unix.POLLIN != 0
}
