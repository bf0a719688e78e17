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

// mount is one line of /proc/PID/mountinfo (proc_pid_mountinfo(5)).
type mount struct {
	id    string
	dev   string // major:minor of the file system
	root  string // the directory of the file system that is mounted
	point string // where the process sees it
}

// mountsOf returns the mounts that a process sees, "self" for this one.
func mountsOf(process string) (all []mount) {
	raw, err := os.ReadFile("/proc/" + process + "/mountinfo")
	if err != nil {
		return nil
	}
	for line := range strings.Lines(string(raw)) {
		if f := strings.Fields(line); len(f) > 4 {
			all = append(all, mount{f[0], f[2], unescape.Replace(f[3]), unescape.Replace(f[4])})
		}
	}
	return all
}

var unescape = strings.NewReplacer(`\040`, " ", `\011`, "\t", `\012`, "\n", `\134`, `\`)

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
	if unix.Statx(v.fd, "", unix.AT_EMPTY_PATH|unix.AT_STATX_DONT_SYNC, unix.STATX_MNT_ID|unix.STATX_NLINK, &st) != nil || st.Nlink == 0 {
		return "", at, false
	}
	name, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(v.fd))
	mounts := mountsOf(strconv.Itoa(pid))
	i := slices.IndexFunc(mounts, func(m mount) bool { return m.id == strconv.FormatUint(st.Mnt_id, 10) })
	if err != nil || i < 0 {
		return "", at, false
	}
	from := mounts[i]
	rest, ok := under(from.point, name)
	if !ok || from.point == "/" {
		return "", at, ok
	}
	name = path.Join(from.root, rest)
	here := slices.DeleteFunc(mountsOf("self"), func(m mount) bool {
		_, ok := under(m.root, name)
		return m.dev != from.dev || !ok
	})
	slices.SortStableFunc(here, func(a, b mount) int { return cmp.Compare(len(a.root), len(b.root)) })
	there := folderOf(v.fd, ".")
	for _, m := range here {
		rest, _ := under(m.root, name)
		host := path.Join(m.point, rest)
		if a.Avoids(host) {
			return host, at, true
		}
		if at = open(host); at.fd >= 0 && folderOf(at.fd, ".") == there && there != (memory.Folder{}) {
			return host, at, volumes.MatchString(host)
		}
		at.close()
	}
	return "", view{-1}, len(here) == 0
}

// open returns the view of a process that works in a directory here.
func open(dir string) view {
	fd, err := patient(func() (int, error) { return unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0) })
	if err != nil {
		fd = -1
	}
	return view{fd}
}
