package daemon

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// share prepares the folder that containers are given, where the mount is to be made in
// it: what is mounted in it later, and so the mount of the next daemon, is mounted in
// their copies, too (mount_namespaces(7)). The folder outlives this process.
func share(mountpoint string, dirs *made) error {
	if mountpoint != paths.Shared {
		return nil
	}
	if err := makeWay(paths.Device); err != nil {
		return err
	}
	state, err := fuse.MountState(paths.Shared)
	if err != nil || state.Served() {
		return err // who mounts refuses it
	}
	if state == fuse.StateStale { // the folder that is bound would lie over it
		if err := fuse.Detach(paths.Shared); err != nil {
			return err
		}
		*dirs = append(*dirs, paths.Shared)
	}
	dir := filepath.Dir(paths.Shared)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("mount: %w; another place needs no such folder: rnixfs mount DIR", err)
	}
	if err := paths.Private(dir); err != nil {
		return fmt.Errorf("mount: %w", err)
	}
	if shared, err := fuse.IsShared(dir); shared || err != nil {
		return err
	}
	if err = unix.Mount(dir, dir, "", unix.MS_BIND, ""); err == nil {
		err = unix.Mount("", dir, "", unix.MS_SHARED|unix.MS_REC, "")
	}
	if err != nil {
		return fmt.Errorf("mount: share %s with containers: %w; in a container, mounting takes --device /dev/fuse --cap-add SYS_ADMIN, and --security-opt apparmor=unconfined where AppArmor is", dir, err)
	}
	return nil
}

// makeWay makes way for the link: it refuses a mount that is served, and requests that
// nobody has read, and takes off what an earlier daemon left.
func makeWay(device string) error {
	if to, err := os.Readlink(device); err == nil && to == paths.Shared {
		return nil
	}
	switch state, err := fuse.MountState(device); {
	case err != nil:
		return err
	case state.Served():
		return memory.Errorf(memory.KindExists, "mount", "%s: an rnixfs is mounted there already", device)
	case state == fuse.StateStale:
		return fuse.Detach(device)
	case state == fuse.StateForeign:
		return nil
	}
	if fi, err := os.Lstat(device); err == nil && fi.IsDir() {
		return empty(device)
	}
	return nil
}

// link makes /dev/memory lead to the mount. An empty directory there gives way, as one
// that an earlier daemon made.
func link() error {
	if to, err := os.Readlink(paths.Device); err == nil && to == paths.Shared {
		return nil
	}
	_ = unix.Rmdir(paths.Device) // what is not empty, or no directory, stays
	if err := os.Symlink(paths.Shared, paths.Device); err != nil {
		return fmt.Errorf("the devices are in %s alone; a link to it at %s can't be made: %w", paths.Shared, paths.Device, errors.Unwrap(err))
	}
	return nil
}

// Unlink removes the link to the mount once nothing is mounted there.
func Unlink() {
	if mounted, err := fuse.Mounted(paths.Shared); err != nil || mounted {
		return
	}
	if to, err := os.Readlink(paths.Device); err == nil && to == paths.Shared {
		_ = os.Remove(paths.Device) // it may be gone
	}
}
