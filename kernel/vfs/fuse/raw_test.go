package fuse

import (
	"context"
	"encoding/binary"
	"io"
	"log"
	"strconv"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hanwen/go-fuse/v2/fuse"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// rawClient sends FUSE messages to a file system without a kernel.
type rawClient struct {
	fs     *fileSystem
	server *fuse.ProtocolServer
	unique uint64
}

func newRaw(tb testing.TB) *rawClient {
	ctx, cancel := context.WithCancel(context.Background())
	table := newToys()
	table.SetMemories(vfs.NewMemories(inRAM(tb)))
	fs := newFileSystem(ctx, table, Options{Deadline: 200 * time.Millisecond, Pinned: "/work"})
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

// inRAM returns a store that keeps everything in RAM, and lets everything pass.
func inRAM(tb testing.TB) *store.Store {
	var n atomic.Int64
	s := store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		Scanner: passing{},
		NewID:   func() string { return strconv.FormatInt(n.Add(1), 10) },
	})
	tb.Cleanup(func() { _ = s.Close() })
	return s
}

type passing struct{}

func (passing) Scan(context.Context, []memory.Field) (v memory.Verdict, err error) { return v, nil }
func (passing) Redact(_ context.Context, text string) (string, error)              { return text, nil }

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
	f.Add([]byte{9, 4, 'd', 0}, []byte{12, 4, 4, 0, 0, 0, 0, 0, 0, 0, 'x', 0, 'd', '/', 'x', 0}, []byte{10, 4, 'x', 0})
	f.Add([]byte{25, 5, 2}, []byte{27, 4}, []byte{4, 5, 8, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 9})
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
		r.send(1, rootID, []byte("memories\x00"))
		r.send(1, 3, []byte("project\x00"))
		r.send(35, 4, append(words(2|0x40, 0), "x\x00"...)) // CREATE O_RDWR: node 5, handle 2
		if _, errno := r.send(16, 5, append(words(2, 0, 4, 0, 1), "text"...)); errno != 0 {
			t.Fatalf("write: errno %d", errno)
		}
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
