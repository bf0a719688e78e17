package fuse

import (
	"context"
	"errors"
	"os/exec"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// inPassing is how long a process may use a mount by a system call that is running, as
// the server's own probe does: nothing tells who that is.
const inPassing = 2 * time.Second

// Unmount takes an rnixfs off its mountpoint, on behalf of another process than its
// server, and waits at most the given time for the server to end, which first writes
// what it has not yet written. It returns the id of the server if that has not ended,
// else 0. When the mount is in use, the error names the processes that use it. A mount
// whose server died is taken off in any case.
func Unmount(mountpoint string, atMost time.Duration) (left int, err error) {
	point, err := clean(mountpoint)
	if err != nil {
		return 0, err
	}
	state, err := MountState(point)
	switch {
	case err != nil:
		return 0, err
	case state == StateNone, state == StateCovered:
		return 0, memory.Errorf(memory.KindNotFound, "unmount", "%s: nothing is mounted there", point)
	case state == StateForeign:
		return 0, memory.Errorf(memory.KindInvalid, "unmount", "%s: that is not an rnixfs", point)
	case state == StateStale:
		return 0, Detach(point)
	case state == StateSilent: // the statfs that it did not answer keeps it in use
		why, mend := Silent(point)
		return 0, memory.Errorf(why.Kind, "unmount", "%w; %s", why, mend)
	}
	pid := serverOf(point)
	w := attest.Watch(pid)
	own := near(pid) && lastArgument(pid) == point // and not another that has got its number
	for end := time.Now().Add(inPassing); ; time.Sleep(inPassing / 100) {
		err = umount(point, false)
		if !errors.Is(err, unix.EBUSY) || time.Now().After(end) || len(holders(point)) > 0 {
			break
		}
	}
	if err != nil {
		w.Wait(0)
	}
	if errors.Is(err, unix.EBUSY) {
		return 0, errBusy(point)
	}
	if err != nil {
		return 0, memory.Errorf(memory.KindDenied, "unmount", "%s: %w", point, err)
	}
	// A container that has a copy of the mount keeps it alive.
	if own {
		w.Terminate()
	}
	if !w.Wait(atMost) {
		return pid, nil
	}
	return 0, nil
}

// Detach takes a mount out of the tree although it is in use or its server died
// (umount2(2), MNT_DETACH). Open descriptors stay with the server.
func Detach(mountpoint string) error {
	point, err := clean(mountpoint)
	if err != nil {
		return err
	}
	if err := umount(point, true); err != nil {
		return memory.Errorf(memory.KindDenied, "detach", "%s: %w", point, err)
	}
	return nil
}

// umount asks the kernel, and fusermount3 if the kernel wants a privilege.
func umount(point string, lazy bool) error {
	flags := unix.UMOUNT_NOFOLLOW
	if lazy {
		flags |= unix.MNT_DETACH
	}
	err := unix.Unmount(point, flags)
	if err != unix.EPERM {
		return err
	}
	arg := "-u"
	if lazy {
		arg = "-uz"
	}
	bin, lerr := fusermount()
	if lerr != nil {
		return errors.Join(err, lerr)
	}
	out, xerr := exec.CommandContext(context.Background(), bin, arg, "--", point).CombinedOutput() // cut short, the mount may stay
	switch msg := strings.TrimSpace(string(out)); {
	case xerr == nil:
		return nil
	case strings.Contains(msg, "busy"):
		return unix.EBUSY
	case msg != "":
		return errors.New(msg)
	default:
		return xerr
	}
}

// fusermount finds the set-uid helper, also with an empty PATH.
func fusermount() (string, error) {
	for _, name := range []string{"fusermount3", "/bin/fusermount3", "/usr/bin/fusermount3", "fusermount"} {
		if path, err := exec.LookPath(name); err == nil {
			return path, nil
		}
	}
	return "", errors.New("fusermount3 is not installed (package fuse3)")
}
