package spool

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// listing is what stood in a folder of jobs when it was read.
type listing struct {
	info fs.FileInfo // nil: it was not there
	read time.Time
	ids  []string
}

// settled is how old a folder's time has to be for the folder to be known by it:
// a file that comes in the same tick of the clock leaves the time as it is.
const settled = 100 * time.Millisecond

// listed is names for one who asks often: a folder that has not changed since is
// not read again. same says so. q.mu is held.
func (q *Queue) listed(folder string) (ids []string, same bool, err error) {
	info, err := os.Stat(filepath.Join(q.dir, folder))
	if errors.Is(err, fs.ErrNotExist) {
		info, err = nil, nil
	}
	if err != nil {
		return nil, false, err
	}
	if l := q.lists[folder]; l != nil && unchanged(l, info) {
		return l.ids, true, nil
	}
	now := time.Now() // of the file system's clock, whatever the caller's is
	if ids, err = q.names(folder); err != nil {
		return nil, false, err
	}
	if q.lists == nil {
		q.lists = map[string]*listing{}
	}
	q.lists[folder] = &listing{info, now, ids}
	return ids, false, nil
}

func unchanged(l *listing, info fs.FileInfo) bool {
	if l.info == nil || info == nil {
		return l.info == nil && info == nil
	}
	return os.SameFile(l.info, info) && l.info.ModTime().Equal(info.ModTime()) && l.read.Sub(info.ModTime()) > settled
}
