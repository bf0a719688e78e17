package fuse

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	gofs "github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// null is the do-nothing file that devices are measured against: go-fuse's own
// node layer, opened, written to or read, and closed.
type null struct{ gofs.Inode }

var nullText = []byte(`{"runs":0}` + "\n")

var (
	_ = gofs.NodeOpener((*null)(nil))
	_ = gofs.NodeWriter((*null)(nil))
	_ = gofs.NodeReader((*null)(nil))
	_ = gofs.NodeSetattrer((*null)(nil))
	_ = gofs.NodeGetattrer((*null)(nil))
)

func (*null) Open(context.Context, uint32) (gofs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

func (*null) Write(_ context.Context, _ gofs.FileHandle, data []byte, _ int64) (uint32, syscall.Errno) {
	return uint32(len(data)), 0
}

func (*null) Read(_ context.Context, _ gofs.FileHandle, _ []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	return fuse.ReadResultData(nullText[min(off, int64(len(nullText))):]), 0
}

func (*null) Getattr(_ context.Context, _ gofs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode = 0o666
	return 0
}

func (*null) Setattr(context.Context, gofs.FileHandle, *fuse.SetAttrIn, *fuse.AttrOut) syscall.Errno {
	return 0
}

type nullRoot struct{ gofs.Inode }

func (r *nullRoot) OnAdd(ctx context.Context) {
	for _, name := range []string{"commit", "status"} {
		r.AddChild(name, r.NewPersistentInode(ctx, &null{}, gofs.StableAttr{}), true)
	}
}

// serveBaseline mounts the do-nothing files: "plain" as go-fuse does by default,
// "cached" with the kernel told to keep names and attributes. scripts/bench asks for it,
// too.
func serveBaseline(s serving) int {
	if s.Size > 0 {
		nullText = bytes.Repeat([]byte("x"), s.Size)
	}
	opts := &gofs.Options{MountOptions: fuse.MountOptions{DirectMountStrict: os.Getuid() == 0, FsName: "null", Name: "null"}}
	if s.Baseline == "cached" {
		hour := time.Hour
		opts.EntryTimeout, opts.AttrTimeout = &hour, &hour
	}
	srv, err := gofs.Mount(s.Point, &nullRoot{}, opts)
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	fmt.Println("ready")
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
	}
	_ = srv.Unmount()
	return 0
}
