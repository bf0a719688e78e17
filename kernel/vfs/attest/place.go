package attest

import (
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// view is a working directory as its process sees it, whose parents may be others than
// here: in another mount namespace, or after a rename. -1 stands for this process's own
// view.
type view struct{ fd int }

func (v view) close() {
	if v.fd >= 0 {
		_ = unix.Close(v.fd)
	}
}

// workdir returns the working directory of a process by the path under which this
// process reaches the same directory. It is "" when there is none: the directory
// was removed or renamed, or the caller lives in another mount namespace. The view has
// to be closed.
//
// No lock is held meanwhile, since the caller's file system may hang.
func (a *Attester) workdir(pid int) (path string, v view) {
	fd, err := patient(func() (int, error) { return unix.Open(procPath(pid, "cwd"), unix.O_PATH|unix.O_CLOEXEC, 0) })
	if err != nil {
		return "", view{-1}
	}
	v.fd = fd
	path, err = os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil || path[0] != '/' {
		return "", v
	}
	if here, there := v.look(path, 0); !a.Avoids(path) && (here != there || here == memory.Folder{}) {
		return "", v
	}
	return path, v
}

// look returns the directory that has a path here, and the one that the process sees so
// many directories above its own.
func (v view) look(dir string, up int) (here, there memory.Folder) {
	here = folderOf(unix.AT_FDCWD, dir)
	if v.fd < 0 {
		return here, here
	}
	return here, folderOf(v.fd, above(up))
}

// sees reports whether the process sees a project above its directory.
func (v view) sees() bool {
	for up := 1; up < maxDepth && folderOf(v.fd, above(up)) != folderOf(v.fd, above(up-1)); up++ {
		if marked(v.fd, above(up)) {
			return true
		}
	}
	return false
}

func above(up int) string { return "." + strings.Repeat("/..", up) }

// folderOf is the directory at a path, zero for none. A server of a network or FUSE
// file system is not asked for newer attributes (AT_STATX_DONT_SYNC): neither one that
// hangs, nor this process.
func folderOf(at int, path string) memory.Folder {
	var st unix.Statx_t
	err := unix.Statx(at, path, unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, unix.STATX_TYPE|unix.STATX_INO, &st)
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFDIR {
		return memory.Folder{}
	}
	return memory.Folder{Dev: unix.Mkdev(st.Dev_major, st.Dev_minor), Ino: st.Ino}
}

// serves reports whether a directory is in the mount that this process serves.
func (a *Attester) serves(f memory.Folder) bool {
	avoid := a.avoid.Load()
	return avoid != nil && f.Dev == folderOf(unix.AT_FDCWD, *avoid).Dev
}

// marked reports whether a directory could be a project.
func marked(at int, dir string) bool {
	var st unix.Stat_t
	return unix.Fstatat(at, dir+"/"+markerRnix, &st, unix.AT_SYMLINK_NOFOLLOW) == nil ||
		unix.Fstatat(at, dir+"/"+markerGit, &st, unix.AT_SYMLINK_NOFOLLOW) == nil
}
