// Command nullfs mounts one file that does nothing, with go-fuse and its usual
// settings: the baseline of scripts/bench. It is no part of the product.
//
//	nullfs MOUNTPOINT SIZE
package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
)

// null is the file: its content stands ready, and writes vanish.
type null struct {
	fs.Inode
	content []byte
}

var (
	_ fs.NodeOpener    = (*null)(nil)
	_ fs.NodeReader    = (*null)(nil)
	_ fs.NodeGetattrer = (*null)(nil)
)

// Open opens the file without page cache, as files whose content is made are.
func (n *null) Open(context.Context, uint32) (fs.FileHandle, uint32, syscall.Errno) {
	return nil, fuse.FOPEN_DIRECT_IO, 0
}

// Read reads from the content.
func (n *null) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	off = min(off, int64(len(n.content)))
	end := min(off+int64(len(dest)), int64(len(n.content)))
	return fuse.ReadResultData(n.content[off:end]), 0
}

// Getattr tells the size.
func (n *null) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	out.Mode, out.Size = 0o644, uint64(len(n.content))
	return 0
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "nullfs:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("usage: nullfs MOUNTPOINT SIZE")
	}
	size, err := strconv.Atoi(args[1])
	if err != nil || size < 0 || size > 1<<30 {
		return fmt.Errorf("size: not a number of bytes")
	}
	second := time.Second
	root := &fs.Inode{}
	srv, err := fs.Mount(args[0], root, &fs.Options{
		EntryTimeout: &second, AttrTimeout: &second,
		// fusermount3 may be absent.
		MountOptions: fuse.MountOptions{DirectMountStrict: os.Getuid() == 0, FsName: "null", Name: "null"},
		OnAdd: func(ctx context.Context) {
			root.AddChild("file", root.NewPersistentInode(ctx, &null{content: bytes.Repeat([]byte("x"), size)}, fs.StableAttr{}), true)
		},
	})
	if err != nil {
		return err
	}
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGTERM, os.Interrupt)
	fmt.Println("ready")
	<-end
	return srv.Unmount()
}
