package fuse

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"
)

// rawClient sends FUSE messages to a file system without a kernel.
type rawClient struct {
	fs     *fileSystem
	server *fuse.ProtocolServer
	unique uint64
}

func newRaw(tb testing.TB) *rawClient {
	ctx, cancel := context.WithCancel(context.Background())
	fs := newFileSystem(ctx, newToys(), Options{Deadline: 200 * time.Millisecond})
	fs.callers.ancestry.Store(false)
	tb.Cleanup(func() {
		fs.runner.running.stop()
		<-fs.runner.running.idle
		cancel()
	})
	return &rawClient{fs: fs, server: fuse.NewProtocolServer(fs, &fuse.MountOptions{
		MaxWrite: maxWrite, DisableXAttrs: true, Logger: log.New(io.Discard, "", 0),
	})}
}

// send makes the header of an opcode around a body and returns the answer's errno.
func (c *rawClient) send(op uint32, node uint64, body []byte) (reply []byte, errno int32) {
	c.unique++
	msg := make([]byte, 40, 40+len(body))
	binary.LittleEndian.PutUint32(msg[0:], uint32(40+len(body)))
	binary.LittleEndian.PutUint32(msg[4:], op)
	binary.LittleEndian.PutUint64(msg[8:], c.unique)
	binary.LittleEndian.PutUint64(msg[16:], node)
	msg = append(msg, body...)
	out := make([]byte, 1<<20)
	n, _ := c.server.HandleRequest([][]byte{msg}, [][]byte{out})
	if n < 16 {
		return nil, 0
	}
	return out[16:n], -int32(binary.LittleEndian.Uint32(out[4:]))
}

func words(v ...uint64) []byte {
	var b []byte
	for _, x := range v {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

// FuzzRaw sends arbitrary messages: none may panic, hang, or be answered with what
// makes callers try for ever.
func FuzzRaw(f *testing.F) {
	f.Add([]byte{1, 1, 'r', 'e', 'c', 'a', 'l', 'l', 0}, []byte{14, 16, 2, 0, 0, 0, 0, 0, 0, 0}, []byte{16, 16, 1, 0})
	f.Add([]byte{3, 1}, []byte{28, 1, 0}, []byte{15, 16})
	f.Add([]byte{25, 16}, []byte{18, 16}, []byte{2, 16})
	f.Fuzz(func(t *testing.T, a, b, c []byte) {
		r := newRaw(t)
		panicked := false
		r.server = fuse.NewProtocolServer(r.fs, &fuse.MountOptions{
			MaxWrite: maxWrite, Logger: log.New(io.Discard, "", 0),
			PanicHandler: func(v any) fuse.Status { panicked = true; t.Errorf("panic: %v", v); return fuse.EIO },
		})
		// Nodes and handles to work with: the first LOOKUP gives node 2.
		r.send(1, rootID, []byte("recall\x00"))
		r.send(14, rootID+1, words(2)) // OPEN O_RDWR: handle 1
		for _, msg := range [][]byte{a, b, c} {
			if len(msg) < 2 {
				continue
			}
			op := uint32(msg[0]) % 54
			if op == 26 || op == 38 || op == 36 { // INIT, DESTROY, INTERRUPT are go-fuse's
				continue
			}
			body := append(msg[2:len(msg):len(msg)], make([]byte, 64)...)
			_, errno := r.send(op, uint64(msg[1])%20, body)
			if errno == 4 || errno == 11 {
				t.Errorf("opcode %d: EINTR or EAGAIN", op)
			}
		}
		if panicked {
			t.Fail()
		}
	})
}

// FuzzWrites sends any bytes in any pieces to one handle, and checks the counts.
func FuzzWrites(f *testing.F) {
	f.Add([]byte(`{"q":"a"}{"q":"b"} {"fail":"exists"}`), uint8(5))
	f.Add([]byte(`{"q":"a"} nonsense`), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		r := newRaw(t)
		r.send(1, rootID, []byte("recall\x00"))
		r.send(14, rootID+1, words(2))
		h := r.fs.handles.get(1)
		if h == nil {
			t.Fatal("no handle")
		}
		size := int(piece)%50 + 1
		for at := 0; at < len(stream); {
			data := stream[at:min(at+size, len(stream))]
			in := append(words(1, uint64(at), uint64(len(data)), 0, 1), data...)
			reply, errno := r.send(16, rootID+1, in)
			if errno != 0 {
				if _, again := r.send(16, rootID+1, append(words(1, 0, 1, 0, 1), ' ')); again != 0 && again != errno {
					t.Fatalf("errno %d, then %d", errno, again)
				}
				break
			}
			n := int(binary.LittleEndian.Uint32(reply))
			if n <= 0 || n > len(data) {
				t.Fatalf("%d of %d bytes taken", n, len(data))
			}
			at += n
		}
		if h.held != int64(h.frame.pending()) || r.fs.runner.users.m[0].pending != h.held {
			t.Fatalf("counted %d, held %d, pending %d", r.fs.runner.users.m[0].pending, h.held, h.frame.pending())
		}
		r.fs.Release(nil, &fuse.ReleaseIn{Fh: 1})
		if u := r.fs.runner.users.m[0]; u != (usage{}) {
			t.Fatalf("after release the user still holds %+v", u)
		}
	})
}
