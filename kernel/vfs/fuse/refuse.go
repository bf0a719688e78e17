package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// refusals answers the operations that are refused. The names under the mount are the
// devices: none can be made, moved or removed. Each of these must answer: ENOSYS can make the
// kernel fall back to another operation, and go-fuse's node layer lets some succeed.
//
// The embedded default answers all others with ENOSYS, which makes the kernel stop
// asking: ACCESS, extended attributes, locks, LSEEK, POLL.
type refusals struct{ fuse.RawFileSystem }

// Create refuses.
func (refusals) Create(<-chan struct{}, *fuse.CreateIn, string, *fuse.CreateOut) fuse.Status {
	return fuse.EPERM
}

// Tmpfile refuses.
func (refusals) Tmpfile(<-chan struct{}, *fuse.CreateIn, *fuse.CreateOut) fuse.Status {
	return fuse.EPERM
}

// Mknod refuses.
func (refusals) Mknod(<-chan struct{}, *fuse.MknodIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Mkdir refuses.
func (refusals) Mkdir(<-chan struct{}, *fuse.MkdirIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Unlink refuses.
func (refusals) Unlink(<-chan struct{}, *fuse.InHeader, string) fuse.Status {
	return fuse.EPERM
}

// Rmdir refuses.
func (refusals) Rmdir(<-chan struct{}, *fuse.InHeader, string) fuse.Status {
	return fuse.EPERM
}

// Rename refuses.
func (refusals) Rename(<-chan struct{}, *fuse.RenameIn, string, string) fuse.Status {
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

// Fsync has nothing to do: an answered request is durable.
func (refusals) Fsync(<-chan struct{}, *fuse.FsyncIn) fuse.Status { return fuse.OK }

// FsyncDir has nothing to do.
func (refusals) FsyncDir(<-chan struct{}, *fuse.FsyncIn) fuse.Status { return fuse.OK }
