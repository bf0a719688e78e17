package file

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const tmpPrefix = ".tmp-"

// dir is a folder's FS with what is done to it in several steps: temporary files,
// whole reads. Whoever makes files holds the folder.
type dir struct {
	FS
	tag   string // of this dir's temporary files
	seq   int
	keyed atomic.Pointer[key]
}

func newDir(fsys FS) *dir {
	var b [6]byte
	rand.Read(b[:]) // never fails (crypto/rand)
	return &dir{FS: fsys, tag: hex.EncodeToString(b[:])}
}

// key is what the logs of the folder are sealed with.
func (d *dir) key() key { return *d.keyed.Load() }

func (d *dir) tmpName() string {
	d.seq++
	return tmpPrefix + d.tag + "-" + strconv.Itoa(d.seq)
}

// create makes a file that does not exist yet.
func (d *dir) create(name string) (File, error) {
	return d.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, 0o600)
}

// remove removes a file, which may be gone already.
func (d *dir) remove(name string) error {
	return unless(d.Remove(name), os.ErrNotExist)
}

// writeTemp writes a file that is renamed later, and not flushed.
func (d *dir) writeTemp(name string, data []byte) (Info, error) {
	return d.writeFile(name, data, false)
}

// writeNew writes a durable file that did not exist.
func (d *dir) writeNew(name string, data []byte) error {
	_, err := d.writeFile(name, data, true)
	return err
}

func (d *dir) writeFile(name string, data []byte, flush bool) (info Info, err error) {
	f, err := d.create(name)
	if err != nil {
		return info, err
	}
	_, err = f.WriteAt(data, 0)
	if err == nil && flush {
		err = f.Sync()
	}
	if err == nil {
		info, err = f.Stat()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		err = errors.Join(err, d.remove(name))
	}
	return info, err
}

// put puts a durable file in the place of another, if there is one.
func (d *dir) put(name string, data []byte) error {
	tmp := d.tmpName()
	if err := d.writeNew(tmp, data); err != nil {
		return err
	}
	if err := d.Rename(tmp, name, Replace); err != nil {
		return errors.Join(err, d.remove(tmp))
	}
	return d.SyncDir(".")
}

// unshare gives a file that has another name, too, a copy in its place: what is
// written to it must not show there.
func (d *dir) unshare(name string) error {
	info, err := d.Lstat(name)
	if err != nil || !info.Regular || info.Links == 1 {
		return unless(err, os.ErrNotExist)
	}
	f, err := d.Open(name, unix.O_RDONLY, 0)
	if err != nil {
		return err
	}
	tmp := d.tmpName()
	to, err := d.create(tmp)
	if err == nil {
		_, err = io.Copy(io.NewOffsetWriter(to, 0), io.NewSectionReader(f, 0, info.Size))
		err = errors.Join(err, to.Sync(), to.Close())
	}
	if err = errors.Join(err, f.Close()); err == nil {
		err = d.Rename(tmp, name, Replace)
	}
	return err
}

// takeAway removes a file unless it is not the one that was looked at.
func (d *dir) takeAway(name string, info Info) error {
	tmp := d.tmpName()
	if err := d.Rename(name, tmp, NoReplace); err != nil {
		return unless(err, os.ErrNotExist)
	}
	if was, err := d.Lstat(tmp); err != nil || was != info {
		return errors.Join(err, d.Rename(tmp, name, NoReplace))
	}
	return d.remove(tmp)
}

// free returns the first of base+suffix, base-2+suffix, ... that no file has.
func (d *dir) free(base, suffix string) (string, error) {
	for n := 1; ; n++ {
		name := numbered(base, suffix, n)
		if _, err := d.Lstat(name); err != nil {
			return name, unless(err, os.ErrNotExist)
		}
	}
}

// list lists the names in a folder that are wanted.
func (d *dir) list(folder string, wanted func(name string) bool) ([]string, error) {
	names, err := d.ReadDir(folder)
	return slices.DeleteFunc(names, func(name string) bool { return !wanted(name) }), err
}

// entryNames lists the files that may be entries.
func (d *dir) entryNames() ([]string, error) { return d.list(".", isEntryName) }

// cleanTemps removes what a crash left behind. The folder is locked, so that none
// is in use.
func (d *dir) cleanTemps() error {
	names, err := d.list(".", func(name string) bool { return strings.HasPrefix(name, tmpPrefix) })
	for _, name := range names {
		err = errors.Join(err, d.remove(name))
	}
	return err
}

// errNotEntry is a file that stays where it is: it can't be read, or is none.
type errNotEntry struct {
	problem memory.Problem
	fault   error // of a disk in trouble, which may be over in a moment
}

func (e errNotEntry) Error() string { return e.problem.Reason }

func notEntry(name, code, reason string) errNotEntry {
	return errNotEntry{problem: memory.Problem{Path: name, Code: code, Reason: reason}}
}

func unreadable(name string, err error) error {
	e := notEntry(name, "unreadable", err.Error())
	for _, fault := range []error{unix.ENOSPC, unix.EDQUOT, unix.EIO, unix.EMFILE, unix.ENFILE, unix.ENOMEM} {
		if errors.Is(err, fault) {
			e.fault = err
		}
	}
	return e
}

// read reads an entry's file, and what it was when it was read. Errors are
// errNotEntry, or of a file that is not there.
func (d *dir) read(name string) ([]byte, Info, error) {
	f, err := d.Open(name, unix.O_RDONLY, 0)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil, Info{}, err
	case errors.Is(err, unix.ELOOP):
		return nil, Info{}, notEntry(name, "symlink", "symbolic links are not followed")
	case err != nil:
		return nil, Info{}, unreadable(name, err)
	}
	info, err := f.Stat()
	var data []byte
	if err == nil && info.Regular && info.Size <= maxFile {
		data, err = readSize(f, info.Size)
	}
	if closeErr := f.Close(); err == nil {
		err = closeErr
	}
	switch {
	case err != nil:
		return nil, info, unreadable(name, err)
	case !info.Regular:
		return nil, info, notEntry(name, "not_regular", "not a regular file")
	case info.Size > maxFile:
		return nil, info, notEntry(name, "too_big", fmt.Sprintf("larger than %d bytes", maxFile))
	}
	return data, info, nil
}

// readSize reads a file from its beginning; less where it has become shorter.
func readSize(f File, size int64) ([]byte, error) {
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return data[:n], err
}

// syncWorkers is how many fsync(2) run at once in a checkpoint: a disk merges
// the flushes of concurrent ones.
const syncWorkers = 16

// syncFiles makes the contents of files durable. One that is gone needs none.
func (d *dir) syncFiles(names []string) error {
	errs := make([]error, len(names))
	each(len(names), syncWorkers, func(i int) { errs[i] = d.syncFile(names[i]) })
	return errors.Join(errs...)
}

func (d *dir) syncFile(name string) error {
	f, err := d.Open(name, unix.O_RDONLY, 0)
	if err != nil {
		return unless(err, os.ErrNotExist, unix.ELOOP, unix.EACCES)
	}
	return errors.Join(f.Sync(), f.Close())
}

// processors is how many goroutines read and parse files.
func processors() int { return 2 * runtime.GOMAXPROCS(0) }

// each calls fn for 0 to n-1 on at most workers goroutines and waits for them.
func each(n, workers int, fn func(i int)) {
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(n, workers) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				fn(i)
			}
		})
	}
	wg.Wait()
}
