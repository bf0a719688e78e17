package fuse

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// State is what is mounted at a directory.
type State int

// The states of a mountpoint.
const (
	StateNone    State = iota // nothing is mounted exactly there
	StateLive                 // an rnixfs whose server lives
	StateStale                // an rnixfs whose server died: ENOTCONN
	StateForeign              // another file system
	StateSilent               // an rnixfs that does not answer: its server may be stopped
	StateCovered              // an rnixfs that another mount hides, as a sandbox's own /dev does
)

// String returns none, live, stale, foreign, silent or covered.
func (s State) String() string {
	return [...]string{"none", "live", "stale", "foreign", "silent", "covered"}[s]
}

// Served reports whether an rnixfs with a server is mounted, which may be silent.
func (s State) Served() bool { return s == StateLive || s == StateSilent }

// mine are the devices of the mounts that this process serves: a system call on one
// would wait for this process itself.
var mine sync.Map // dev -> *Server

// MountState reports what is mounted at a directory, from /proc/self/mountinfo
// and statfs(2). It does not touch a mount that this very process serves.
func MountState(mountpoint string) (State, error) {
	point, err := clean(mountpoint)
	if err != nil {
		return StateNone, err
	}
	top, ok, err := mounted(point)
	switch {
	case err != nil:
		return StateNone, err
	case !ok:
		return StateNone, nil
	case top.FSType != fsType:
		return StateForeign, nil
	}
	if _, ok := mine.Load(top.Dev); ok {
		return StateLive, nil
	}
	st, err := statfs(point)
	switch {
	case err == nil && st.Type != unix.FUSE_SUPER_MAGIC, errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return StateCovered, nil
	case err == nil, errors.Is(err, unix.EACCES): // a server that refuses this user lives
		return StateLive, nil
	case errors.Is(err, unix.ETIMEDOUT):
		return StateSilent, nil
	case errors.Is(err, unix.ENOTCONN), errors.Is(err, unix.ECONNABORTED):
		return StateStale, nil
	default:
		return StateNone, memory.Errorf(memory.KindInternal, "look at mountpoint", "statfs %s: %w", point, err)
	}
}

// Mounted reports whether an rnixfs is mounted at a directory, from
// /proc/self/mountinfo alone: it never waits for a server.
func Mounted(mountpoint string) (bool, error) {
	point, err := clean(mountpoint)
	if err != nil {
		return false, err
	}
	top, ok, err := mounted(point)
	return ok && top.FSType == fsType, err
}

// statfsPatience bounds statfs(2) on a mount whose server may be stopped.
const statfsPatience = 2 * time.Second

func statfs(point string) (unix.Statfs_t, error) {
	ctx, cancel := context.WithTimeoutCause(context.Background(), statfsPatience, unix.ETIMEDOUT)
	defer cancel()
	return Await(ctx, Patience{}, func() (st unix.Statfs_t, err error) {
		err = unix.Statfs(point, &st)
		return st, err
	})
}

// ReadOnly reports whether a path is on a file system that is mounted read-only here, as
// an agent's sandbox shows a mount that it was not told to let its commands write to.
func ReadOnly(path string) bool {
	st, err := statfs(path)
	return err == nil && st.Flags&unix.ST_RDONLY != 0
}

// IsDevice reports whether a mountpoint is "/dev/fd/N": a FUSE device that a parent has
// mounted and hands down, so that its server needs no privilege.
func IsDevice(mountpoint string) bool { return strings.HasPrefix(mountpoint, "/dev/fd/") }
