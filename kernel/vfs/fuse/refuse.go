package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// refusals answers the operations that are refused everywhere. Each of these must answer: ENOSYS can make the
// kernel fall back to another operation, and go-fuse's node layer lets some succeed.
//
// The embedded default answers all others with ENOSYS, which makes the kernel stop
// asking: ACCESS, extended attributes, locks, LSEEK, POLL.
type refusals struct{ fuse.RawFileSystem }

// Tmpfile refuses.
func (refusals) Tmpfile(<-chan struct{}, *fuse.CreateIn, *fuse.CreateOut) fuse.Status {
	return fuse.EPERM
}

// Mknod refuses.
func (refusals) Mknod(<-chan struct{}, *fuse.MknodIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Link refuses.
func (refusals) Link(<-chan struct{}, *fuse.LinkIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Symlink refuses.
func (refusals) Symlink(<-chan struct{}, *fuse.InHeader, string, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Fallocate refuses in the way that makes posix_fallocate(3) fall back.
func (refusals) Fallocate(<-chan struct{}, *fuse.FallocateIn) fuse.Status {
	return fuse.Status(unix.EOPNOTSUPP)
}

// FsyncDir has nothing to do.
func (refusals) FsyncDir(<-chan struct{}, *fuse.FsyncIn) fuse.Status { return fuse.OK }
