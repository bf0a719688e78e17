package file

import "golang.org/x/sys/unix"

// place is a folder's path, and which folder it was when it was opened.
type place struct {
	dir      string
	dev, ino uint64
}

// placeOf looks at a path; the zero place stands for one that is not there.
func placeOf(dir string) place {
	var st unix.Stat_t // os.Stat allocates, and this is asked at each request
	if _, err := retry(func() (int, error) { return 0, unix.Stat(dir, &st) }); err != nil {
		return place{}
	}
	return place{dir, st.Dev, st.Ino}
}

// Moved reports whether the folder's path no longer leads to the folder that was
// opened: it was removed, renamed, or another one stands there. A provider keeps
// to its folder, so whoever asked for the path has to open it anew.
func (p *Provider) Moved() bool { return p.place != placeOf(p.place.dir) }
