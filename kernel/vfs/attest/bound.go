package attest

import (
	"cmp"
	"os"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// under returns what of a path lies below a directory.
func under(dir, name string) (rest string, ok bool) {
	if dir == "/" {
		return name, true
	}
	rest, ok = strings.CutPrefix(name, dir)
	return rest, ok && (rest == "" || rest[0] == '/')
}

// volumes are the folders of container engines where a container's own files lie.
var volumes = regexp.MustCompile(`/volumes/(?:[^/]+/){1,2}_data(?:/|$)|/kubelet/pods/[^/]+/volumes/`)

// bound returns the path under which this process reaches the working directory of a
// process in another mount namespace, and that directory as this process sees it, to be
// closed. Mounts tell where to look; what counts is that both are the same directory, by
// the numbers of device and inode. A mount can't forge them: each file system has a device
// number of its own for its directories, FUSE and overlayfs as well.
//
// own reports whether the directory is one of the container's own: of its root file system
// or a volume, or of a file system that is not mounted here.
func (a *Attester) bound(pid int, v view) (host string, at view, own bool) {
	at = view{-1}
	var st unix.Statx_t
	there := folderOf(v.fd, ".")
	if unix.Statx(v.fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_MNT_ID|unix.STATX_NLINK, &st) != nil ||
		st.Nlink == 0 || there == (memory.Folder{}) {
		return "", at, false
	}
	last := &a.seen[there.Ino%uint64(len(a.seen))]
	if was := last.Load(); was != nil && was.dir == there && was.mount == st.Mnt_id {
		if at = openat(unix.AT_FDCWD, was.host, 0); folderOf(at.fd, ".") == there {
			return was.host, at, volumes.MatchString(was.host)
		}
		at.close()
		at = view{-1}
	}
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(v.fd))
	theirs, _ := Mounts(strconv.Itoa(pid)) // none: it has ended, or may not be looked into
	i := slices.IndexFunc(theirs, func(m Mount) bool { return m.ID == strconv.FormatUint(st.Mnt_id, 10) })
	if err != nil || i < 0 {
		return "", at, false
	}
	from := theirs[i]
	rest, ok := under(from.Point, name)
	if !ok || from.Point == "/" {
		return "", at, ok
	}
	name = path.Join(from.Root, rest)
	here, err := Mounts("self")
	if err != nil {
		return "", at, false
	}
	here = slices.DeleteFunc(here, func(m Mount) bool {
		_, ok := under(m.Root, name)
		return m.Dev != from.Dev || !ok
	})
	slices.SortStableFunc(here, func(a, b Mount) int { return cmp.Compare(len(a.Root), len(b.Root)) })
	for _, m := range here {
		rest, _ := under(m.Root, name)
		host := path.Join(m.Point, rest)
		if a.Avoids(host) {
			return host, at, true
		}
		if at = openat(unix.AT_FDCWD, host, 0); folderOf(at.fd, ".") == there {
			last.Store(&seen{there, st.Mnt_id, host})
			return host, at, volumes.MatchString(host)
		}
		at.close()
	}
	return "", view{-1}, len(here) == 0
}

// seen is a directory in another mount namespace, and the path that leads to it here.
type seen struct {
	dir   memory.Folder
	mount uint64 // its id
	host  string
}

// openat returns the view of a process that works in a directory here, or below at.
func openat(at int, dir string, resolve uint64) view {
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC | unix.O_DIRECTORY, Resolve: resolve}
	fd, err := patient(func() (int, error) { return unix.Openat2(at, dir, &how) })
	if err != nil {
		fd = -1
	}
	return view{fd}
}
