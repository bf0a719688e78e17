package file

import (
	"context"
	"io"
)

// FS is the folder's file operations, all relative to it. Names are a file's
// name, or ".rejected/" and one. Errors are those of the system calls
// (errors.Is works with fs.ErrNotExist and the like). It exists so that tests
// can fail any operation.
type FS interface {
	// Open opens a regular file and follows no symbolic link, in no part of the name.
	// flags are those of open(2).
	Open(name string, flags int, perm uint32) (File, error)
	// Lstat looks at a name without following it.
	Lstat(name string) (Info, error)
	// ReadDir lists a folder, "." for the root, in no order.
	ReadDir(name string) ([]string, error)
	// Mkdir makes a folder.
	Mkdir(name string, perm uint32) error
	// Rename is renameat2(2).
	Rename(from, to string, how RenameMode) error
	// Remove unlinks a file.
	Remove(name string) error
	// SyncDir makes the folder's names durable.
	SyncDir(name string) error
	// SyncAll makes everything of the file system durable (syncfs(2)), which
	// reports write errors since Linux 5.8.
	SyncAll() error
	// Close releases the folder.
	Close() error
}

// RenameMode says what a rename does with a target that exists.
type RenameMode uint8

// The modes of a rename.
const (
	Replace   RenameMode = iota // the target is gone
	NoReplace                   // EEXIST
	Exchange                    // the names change places
)

// File is an open regular file.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	Truncate(size int64) error
	Sync() error     // fsync(2)
	Datasync() error // fdatasync(2)
	// Reserve allocates room without changing the size (fallocate(2),
	// FALLOC_FL_KEEP_SIZE). A Truncate gives it back.
	Reserve(from, n int64) error
	Stat() (Info, error)
	// Lock takes flock(2), and waits for it until ctx is done.
	Lock(ctx context.Context) error
	Unlock() error
}

// Info is what this package needs of stat(2). It is comparable.
type Info struct {
	Inode   uint64
	Size    int64
	ModTime int64 // nanoseconds since 1970
	Links   uint64
	Regular bool
	Dir     bool
}
