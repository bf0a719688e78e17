package attest

import (
	"golang.org/x/sys/unix"
)

// workdir returns the working directory of a process by the path under which this
// process reaches the same directory. It is "" when there is none: the directory
// was removed or renamed, or the caller lives in another mount namespace.
//
// No lock is held meanwhile, since the caller's file system may hang. A server of a
// network or FUSE file system is not asked for newer attributes
// (AT_STATX_DONT_SYNC): neither one that hangs, nor this process.
func (a *Attester) workdir(pid int) string {
	path := readLink(pid, "cwd")
	var there unix.Statx_t
	if path == "" || path[0] != '/' ||
		unix.Statx(unix.AT_FDCWD, procPath(pid, "cwd"), unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_INO, &there) != nil {
		return ""
	}
	if a.avoids(path) {
		return path
	}
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || st.Ino != there.Ino || st.Dev != unix.Mkdev(there.Dev_major, there.Dev_minor) {
		return ""
	}
	return path
}
