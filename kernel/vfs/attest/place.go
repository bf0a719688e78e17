package attest

import (
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// placeAge is how long what was found out of a working directory is believed
// while the directory itself is unchanged. A marker of a project that appears in
// it shows at once; one further up, or the renaming of a directory above, within
// this time.
const placeAge = 250 * time.Millisecond

// place is a working directory.
type place struct {
	path string // "" when this process can't reach it by that path
	root string // the project it lies in, "" for none
	dir  identity
	uid  uint32
	at   time.Time
}

// identity tells a directory, and any change in it, from all others.
type identity struct {
	dev, ino     uint64
	mtime, ctime unix.StatxTimestamp
}

// identify returns the identity of a process's working directory. It goes there
// without a path, and asks no server of a network or FUSE file system for newer
// attributes (AT_STATX_DONT_SYNC): neither a hanging one, nor our own.
func identify(pid int) (id identity, ok bool) {
	var room [48]byte
	path := procPath(room[:], pid, "cwd")
	var st unix.Statx_t
	const mask = unix.STATX_TYPE | unix.STATX_INO | unix.STATX_MTIME | unix.STATX_CTIME
	if unix.Statx(unix.AT_FDCWD, string(path[:len(path)-1]), unix.AT_STATX_DONT_SYNC|unix.AT_NO_AUTOMOUNT, mask, &st) != nil {
		return identity{}, false
	}
	id = identity{unix.Mkdev(st.Dev_major, st.Dev_minor), st.Ino, st.Mtime, st.Ctime}
	return id, st.Mode&unix.S_IFMT == unix.S_IFDIR
}

// holds reports whether what is known of a place can be used for a caller who is
// in the directory now.
func (p *place) holds(dir identity, uid uint32, now time.Time) bool {
	age := now.Sub(p.at)
	return p.dir == dir && p.uid == uid && age >= 0 && age < placeAge
}

// young reports whether the directory changed so recently that its next change
// may get the same time: the clock of file systems ticks in milliseconds.
func (id identity) young(now time.Time) bool {
	return now.Sub(time.Unix(id.ctime.Sec, int64(id.ctime.Nsec))) < placeAge
}

// places remembers by path what processes have in common which come and go in
// one directory.
type places struct {
	mu sync.Mutex
	m  map[string]place
}

func (p *places) get(path string) place {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.m[path]
}

func (p *places) put(at place, path string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.m == nil || len(p.m) >= maxCached {
		p.m = map[string]place{}
	}
	p.m[path] = at
}

// placeOf finds out where a process works. It takes no lock while it looks into
// the caller's file system, which may hang.
func (a *Attester) placeOf(tid, pid int, uid uint32) place {
	dir, ok := identify(pid)
	if !ok {
		return place{}
	}
	now := a.now()
	if last := a.lastPlace(tid); last.holds(dir, uid, now) {
		return last
	}
	path := readLink(pid, "cwd")
	if path == "" || path[0] != '/' { // not under our root
		return place{}
	}
	if a.avoids(path) {
		return place{path: path}
	}
	here := a.places.get(path)
	if !here.holds(dir, uid, now) {
		here = a.look(path, dir, uid, now)
	}
	if !dir.young(now) {
		a.places.put(here, path)
		a.setPlace(tid, here)
	}
	return here
}

// look finds out what is at a path, if it is the same directory for us: it is not
// when the caller lives in another mount namespace, or the directory was removed
// or renamed.
func (a *Attester) look(path string, dir identity, uid uint32, now time.Time) place {
	here := place{dir: dir, uid: uid, at: now}
	var st unix.Stat_t
	if unix.Stat(path, &st) != nil || st.Dev != dir.dev || st.Ino != dir.ino {
		return here
	}
	here.path = path
	here.root, _ = a.projectOf(path, uid)
	return here
}

func (a *Attester) lastPlace(tid int) place {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.threads[tid]; p != nil {
		return p.place
	}
	return place{}
}

func (a *Attester) setPlace(tid int, at place) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if p := a.threads[tid]; p != nil {
		p.place = at
	}
}
