package vfs

import (
	"syscall"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// errnos is the one table from kinds to errnos. Why each: EPERM and not EACCES
// for a rejected text, since EACCES sends agents to chmod and sudo; EDQUOT and
// not ENOSPC for a full scope, since ENOSPC makes them clean the disk; ENODATA
// and not ENOENT for a missing entry, since ENOENT reads as a missing path.
var errnos = map[memory.Kind]syscall.Errno{
	memory.KindInternal:    syscall.EIO,
	memory.KindInvalid:     syscall.EINVAL,
	memory.KindTooBig:      syscall.EMSGSIZE,
	memory.KindRejected:    syscall.EPERM,
	memory.KindOverLimit:   syscall.EDQUOT,
	memory.KindNotFound:    syscall.ENODATA,
	memory.KindExists:      syscall.EEXIST,
	memory.KindConflict:    syscall.EBUSY,
	memory.KindReadOnly:    syscall.EROFS,
	memory.KindDenied:      syscall.EACCES,
	memory.KindTimeout:     syscall.ETIMEDOUT,
	memory.KindUnavailable: syscall.ECONNREFUSED,
	memory.KindRemoved:     syscall.EPERM,
}

// Errno is the errno of a failed request of the kind; EIO for a kind that is not
// in the protocol's table.
func Errno(k memory.Kind) syscall.Errno {
	if e, ok := errnos[k]; ok {
		return e
	}
	return syscall.EIO
}
