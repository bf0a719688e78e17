package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// fuse examines /dev/fuse, fusermount3 and /etc/fuse.conf.
func (r *report) fuse(mountpoint string) {
	switch f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0); {
	case errors.Is(err, os.ErrNotExist) && sandboxed():
		r.ok("/dev/fuse", "missing, as in an agent's sandbox: mount outside it")
	case errors.Is(err, os.ErrNotExist) && live(mountpoint):
		r.ok("/dev/fuse", "missing; the mount is another's, and none is needed here")
		return
	case errors.Is(err, os.ErrNotExist):
		r.fail("/dev/fuse", "missing", "load the module (modprobe fuse); in a container, start it with --device /dev/fuse")
	case err != nil:
		r.fail("/dev/fuse", err.Error(), "let this user open it (chmod 666 /dev/fuse), or mount as root")
	default:
		f.Close()
		r.ok("/dev/fuse", "can be opened")
	}
	root := os.Geteuid() == 0
	path, err := exec.LookPath("fusermount3")
	if err != nil {
		path, err = exec.LookPath("fusermount")
	}
	switch fi, serr := os.Stat(path); {
	case err != nil && root:
		r.warn("fusermount3", "not installed; root mounts without it", "apt-get install fuse3, for other users")
	case err != nil:
		r.fail("fusermount3", "not installed", "apt-get install fuse3")
	case serr == nil && fi.Mode()&os.ModeSetuid == 0 && !root:
		r.fail("fusermount3", path+" is not setuid root", "chmod u+s "+path)
	default:
		r.ok("fusermount3", path)
	}
	conf, err := os.ReadFile("/etc/fuse.conf")
	if !root && (err != nil || !allowOther.Match(conf)) {
		r.ok("/etc/fuse.conf", "user_allow_other is off: only this user can use the mount")
	}
}

func live(mountpoint string) bool {
	state, err := fuse.MountState(mountpoint)
	return err == nil && state == fuse.StateLive
}

var allowOther = regexp.MustCompile(`(?m)^\s*user_allow_other\s*$`)

// mount returns the status of the mount at a mountpoint, or nil.
func (r *report) mount(ctx context.Context, mountpoint string) *vfs.Status {
	state, err := fuse.MountState(mountpoint)
	switch {
	case err != nil:
		r.fail("mount", fmt.Sprintf("%s: %v", mountpoint, err), "")
	case state == fuse.StateSilent:
		r.silent(mountpoint)
	case state == fuse.StateCovered:
		r.warn("mount", mountpoint+" is mounted, but another mount hides it here, as a sandbox's own /dev does; rnixfs works without it", Allow(mountpoint))
	case state == fuse.StateLive:
		return r.answer(ctx, mountpoint)
	case state == fuse.StateStale && unix.Access("/dev/fuse", unix.R_OK|unix.W_OK) != nil && fuse.Copied(mountpoint):
		r.fail("mount", mountpoint+" is a copy of a mount whose daemon has ended, and stays broken", mendCopy)
	case state == fuse.StateStale:
		r.fail("mount", mountpoint+" was left behind by a process that is gone", "rnixfs mount replaces it; rnixfs umount removes it")
	case state == fuse.StateForeign:
		r.fail("mount", "another file system is mounted at "+mountpoint, "unmount it, or choose another mountpoint")
	default:
		if files, _ := os.ReadDir(mountpoint); len(files) > 0 { // a mountpoint of its own is empty, or not there
			r.fail("mount", "nothing is mounted at "+mountpoint+", and something was written there", "look at what lies in it, then remove it")
			return nil
		}
		r.ok("mount", "nothing is mounted at "+mountpoint)
	}
	return nil
}

const mendCopy = "start the container with the folder around the mount: -v /run/rnix:/run/rnix:rslave -e RNIXFS_MOUNTPOINT=" + paths.Shared + "; a tree s/<id>/ that it was given is seen again after a restart of the container alone"

func (r *report) silent(mountpoint string) {
	why, mend := fuse.Silent(mountpoint)
	r.fail("mount", why.Error(), mend)
}

// answerTime is how long a mount may take to show its status.
const answerTime = 2 * time.Second

// answer finds out whether a mount answers, and returns its status, or nil.
func (r *report) answer(ctx context.Context, mountpoint string) *vfs.Status {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	raw, err := fuse.Await(ctx, fuse.Patience{}, func() ([]byte, error) { return os.ReadFile(filepath.Join(mountpoint, "status")) })
	var status vfs.Status
	if err == nil {
		err = json.Unmarshal(raw, &status)
	}
	switch {
	case ctx.Err() != nil:
		r.silent(mountpoint)
		return nil
	case errors.Is(err, os.ErrPermission): // another user's
		r.ok("mount", mountpoint+" is mounted")
		return nil
	case err != nil:
		r.fail("mount", fmt.Sprintf("%s is mounted, but its status can't be read: %v", mountpoint, err), "see the log; rnixfs umount, then rnixfs mount")
		return nil
	}
	switch {
	case fuse.ReadOnly(mountpoint):
		r.warn("mount", mountpoint+" is mounted, and can only be read here: search/ and status work, and rnixfs writes without it", Allow(mountpoint))
	case (status.You.Container != "" || status.You.PID == 0) && fuse.Copied(mountpoint): // other sandboxes live as long as a command
		r.warn("mount", mountpoint+" is mounted, and answers, but is a copy by itself: once its daemon ends, it stays broken, and the next one is not seen", mendCopy)
	default:
		r.ok("mount", mountpoint+" is mounted, and answers")
	}
	for _, scope := range slices.Sorted(maps.Keys(status.Scopes)) {
		if why := status.Scopes[scope].Error; why != "" {
			r.fail("mount store "+string(scope), why, "put the folder back, or unmount and mount for another one")
		}
	}
	return &status
}
