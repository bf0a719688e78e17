package fuse

import (
	"context"
	"os"
	"strings"

	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// Mount mounts the table at a directory and serves it until it is unmounted. It
// returns when the mount answers. The mountpoint of a live rnixfs is refused, that of
// a dead one is taken over. "/dev/fd/N" is a FUSE device that a parent has mounted
// already; there the reply to a later open needs a session path unless the parent
// shares this process's pid namespace.
func Mount(ctx context.Context, mountpoint string, table *vfs.Table, opts Options) (*Server, error) {
	opts = opts.orDefault()
	point, err := prepare(ctx, mountpoint, opts)
	if err != nil {
		return nil, err
	}
	s := newServer(point, table, opts)
	if s.raw, err = fuse.NewServer(s.fs, point, mountOptions(opts, s)); err != nil {
		return nil, memory.Errorf(memory.KindUnavailable, "mount", "%s: %w%s", point, err, mountHint())
	}
	// go-fuse opens the device without O_CLOEXEC when it mounts by itself. A child that
	// held it would keep the connection open after this process died, and every caller
	// of the dead mount would hang instead of getting ECONNABORTED (fuse_dev_release in
	// fs/fuse/dev.c).
	for fd := range devices("self") {
		unix.CloseOnExec(fd)
	}
	s.start(opts)
	return s, nil
}

func mountOptions(opts Options, s *Server) *fuse.MountOptions {
	root := unix.Geteuid() == 0
	return &fuse.MountOptions{
		FsName: sourceName,
		Name:   subtype,
		// The kernel checks permissions, and asks no ACCESS.
		Options:            []string{"default_permissions"},
		AllowOther:         opts.AllowOther,
		DirectMountStrict:  root && !IsDevice(s.point), // fusermount3 may be absent, in containers
		MaxWrite:           maxWrite,
		DisableXAttrs:      true, // one request less for each open with O_TRUNC
		DisableReadDirPlus: true, // it would look up each device, and so compute its content
		DisableSplice:      true, // replies are small: a copy is cheaper than a pipe
		// Bounds the buffers of the requests that run, of all users.
		MaxInflightRequestBytes: 256 << 20,
		ExtraCapabilities:       fuse.CAP_ATOMIC_O_TRUNC,
		Logger:                  goFuseLogger(opts.Logger),
		PanicHandler:            s.panicked,
	}
}

// prepare makes sure that the mountpoint can be mounted on.
func prepare(ctx context.Context, mountpoint string, opts Options) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", memory.Errorf(memory.KindUnavailable, "mount", "%w", err)
	}
	if IsDevice(mountpoint) {
		return mountpoint, nil
	}
	if opts.AllowOther && unix.Geteuid() != 0 && !userAllowOther() {
		return "", memory.Errorf(memory.KindDenied, "mount",
			"allow_other needs the line user_allow_other in /etc/fuse.conf")
	}
	point, err := clean(mountpoint)
	if err != nil {
		return "", err
	}
	// A stack of stale mounts is taken off one by one.
	for range 16 {
		state, err := MountState(point)
		switch {
		case err != nil:
			return "", err
		case state.Served():
			return "", memory.Errorf(memory.KindExists, "mount", "%s: an rnixfs is mounted there already", point)
		case state == StateStale:
			opts.Logger.Info("taking over a mount whose server died", "mountpoint", point)
			if err := Detach(point); err != nil {
				return "", err
			}
			continue
		}
		return point, mountable(point, state)
	}
	return "", memory.Errorf(memory.KindConflict, "mount", "%s: stale mounts keep appearing there", point)
}

// mountable refuses a path that is no directory, and to hide another FUSE file system.
func mountable(point string, state State) error {
	if state == StateForeign {
		if m, _, err := mounted(point); err == nil && strings.HasPrefix(m.FSType, "fuse") {
			return memory.Errorf(memory.KindConflict, "mount", "%s: a %s is mounted there; unmount it first", point, m.FSType)
		}
	}
	st, err := os.Stat(point)
	switch {
	case os.IsNotExist(err):
		return memory.Errorf(memory.KindNotFound, "mount", "%s: no such directory; make it first", point)
	case err != nil:
		return memory.Errorf(memory.KindInternal, "mount", "%w", err)
	case !st.IsDir():
		return memory.Errorf(memory.KindInvalid, "mount", "%s: not a directory", point)
	}
	return nil
}

// mountHint names the most frequent cause of a mount that fails.
func mountHint() string {
	switch err := unix.Access("/dev/fuse", unix.R_OK|unix.W_OK); err {
	case nil:
		return ""
	case unix.ENOENT:
		return " (there is no /dev/fuse: load the module fuse, or give the container the device)"
	default:
		return " (/dev/fuse can't be opened: " + err.Error() + ")"
	}
}

func userAllowOther() bool {
	raw, err := os.ReadFile("/etc/fuse.conf")
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(raw)) {
		if strings.TrimSpace(line) == "user_allow_other" {
			return true
		}
	}
	return false
}
