package fuse

import (
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// The names under the mount are the devices: none can be made, moved or removed.
// Each of these must answer; where a method is missing, ENOSYS can make the
// kernel fall back to another.

// Create refuses.
func (fs *fileSystem) Create(<-chan struct{}, *fuse.CreateIn, string, *fuse.CreateOut) fuse.Status {
	return fuse.EPERM
}

// Tmpfile refuses.
func (fs *fileSystem) Tmpfile(<-chan struct{}, *fuse.CreateIn, *fuse.CreateOut) fuse.Status {
	return fuse.EPERM
}

// Mknod refuses.
func (fs *fileSystem) Mknod(<-chan struct{}, *fuse.MknodIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Mkdir refuses.
func (fs *fileSystem) Mkdir(<-chan struct{}, *fuse.MkdirIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Unlink refuses.
func (fs *fileSystem) Unlink(<-chan struct{}, *fuse.InHeader, string) fuse.Status {
	return fuse.EPERM
}

// Rmdir refuses.
func (fs *fileSystem) Rmdir(<-chan struct{}, *fuse.InHeader, string) fuse.Status {
	return fuse.EPERM
}

// Rename refuses.
func (fs *fileSystem) Rename(<-chan struct{}, *fuse.RenameIn, string, string) fuse.Status {
	return fuse.EPERM
}

// Link refuses.
func (fs *fileSystem) Link(<-chan struct{}, *fuse.LinkIn, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Symlink refuses.
func (fs *fileSystem) Symlink(<-chan struct{}, *fuse.InHeader, string, string, *fuse.EntryOut) fuse.Status {
	return fuse.EPERM
}

// Fallocate refuses in the way that makes posix_fallocate(3) fall back.
func (fs *fileSystem) Fallocate(<-chan struct{}, *fuse.FallocateIn) fuse.Status {
	return fuse.Status(unix.EOPNOTSUPP)
}

// Fsync has nothing to do: an answered request is durable.
func (fs *fileSystem) Fsync(<-chan struct{}, *fuse.FsyncIn) fuse.Status { return fuse.OK }

// FsyncDir has nothing to do.
func (fs *fileSystem) FsyncDir(<-chan struct{}, *fuse.FsyncIn) fuse.Status { return fuse.OK }
