package file

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// lookAgain is how often a folder that can't be written is looked at for changes
// by those who can.
const lookAgain = time.Second

// ReadOnly is a memory.Provider over a folder that this process can't write: it
// reads it without the lock and refuses changes. What opening has to mend or take
// in, it mends in memory (shadow.go). It is made by [OpenOrRead].
type ReadOnly struct {
	dir   string
	opts  Options
	cause error // why the folder can't be written
	place place
	odd   bool // the system says that it can be written

	mu     sync.RWMutex // changes of what follows
	inner  *Provider    // nil: closed
	real   FS           // of inner; nil: there is no folder
	looked time.Time
	sign   uint64
}

var (
	_ memory.Provider = (*ReadOnly)(nil)
	_ memory.Checker  = (*ReadOnly)(nil)
	_ memory.Remover  = (*ReadOnly)(nil)
)

// OpenOrRead opens the folder dir like [Open], and where it can't be written, for
// reading: as a [ReadOnly], which has no entries where there is no folder.
func OpenOrRead(ctx context.Context, dir string, opts Options) (memory.Provider, error) {
	p, err := Open(ctx, dir, opts)
	if err == nil {
		return p, nil
	}
	if !unwritable(err) {
		return nil, err
	}
	r := &ReadOnly{dir: dir, opts: opts, cause: err, place: placeOf(dir)}
	if r.opts.OpenFS == nil {
		r.opts.OpenFS = OpenOS
	}
	if r.opts.Clock == nil {
		r.opts.Clock = time.Now
	}
	r.odd = r.writable()
	if rerr := r.open(ctx); rerr != nil {
		r.cause = rerr
		return nil, r.refusal("open", "read")
	}
	return r, nil
}

// unwritable tells a folder that this process may not write from one in trouble.
func unwritable(err error) bool {
	return errors.Is(err, unix.EROFS) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPERM)
}

// maxTries bounds the readings of a folder that somebody else is changing.
const maxTries = 3

// open reads the folder. mu is held, or nobody else has r.
func (r *ReadOnly) open(ctx context.Context) error {
	for try := 1; ; try++ {
		disk, err := r.openReal()
		if err != nil {
			return err
		}
		sign := r.signature(disk)
		inner, err := openShadow(ctx, r.dir, disk, r.opts)
		if err != nil {
			return err
		}
		if try < maxTries && sign != r.signature(disk) {
			_ = inner.Close() // it wrote nothing
			continue
		}
		if r.inner != nil {
			_ = r.inner.Close()
		}
		r.inner, r.real, r.sign, r.looked = inner, disk, sign, r.opts.Clock()
		return nil
	}
}

// openReal opens the folder as it is; nil where there is none.
func (r *ReadOnly) openReal() (FS, error) {
	if _, err := os.Lstat(r.dir); errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	return r.opts.OpenFS(r.dir)
}

// openShadow opens a folder without writing it. Closing what it returns closes disk.
func openShadow(ctx context.Context, dir string, disk FS, opts Options) (*Provider, error) {
	return Open(ctx, dir, Options{
		OpenFS: func(string) (FS, error) { return newShadowFS(disk), nil },
		Hooks:  opts.Hooks, Clock: opts.Clock, NewID: opts.NewID, BootID: opts.BootID,
		Logger:  slog.New(slog.DiscardHandler), // what it would tell of does not happen
		WALSize: 2 * walStart, Idle: time.Hour, Spares: -1, made: true,
	})
}

// signature changes when the folder's files do.
func (r *ReadOnly) signature(disk FS) uint64 {
	if disk == nil {
		return 0
	}
	names, err := disk.ReadDir(".")
	if err != nil {
		return 0
	}
	slices.Sort(names)
	var h maphash.Hash
	h.SetSeed(signatureSeed)
	for _, name := range names {
		if !isEntryName(name) && !isOwn(name) {
			continue
		}
		info, err := disk.Lstat(name)
		if err != nil {
			continue
		}
		h.WriteString(name)
		var b []byte
		for _, v := range []uint64{info.Inode, uint64(info.Size), uint64(info.ModTime)} {
			b = binary.LittleEndian.AppendUint64(b, v)
		}
		h.Write(b)
	}
	return h.Sum64()
}

var signatureSeed = maphash.MakeSeed()

// reading calls fn with the folder as it was a moment ago at the latest.
func (r *ReadOnly) reading(ctx context.Context, op string, fn func(p *Provider) error) error {
	if err := r.look(ctx); err != nil {
		return wrap(op, err)
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.inner == nil {
		return wrap(op, errClosed)
	}
	return fn(r.inner)
}

// look reads the folder again when it changed, unless it was looked at just now.
func (r *ReadOnly) look(ctx context.Context) error {
	r.mu.RLock()
	fresh := !r.due() || r.inner == nil
	r.mu.RUnlock()
	if fresh {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inner == nil || !r.due() {
		return nil
	}
	if r.signature(r.real) == r.sign {
		r.looked = r.opts.Clock()
		return nil
	}
	return r.open(ctx)
}

func (r *ReadOnly) due() bool {
	since := r.opts.Clock().Sub(r.looked)
	return since < 0 || since >= lookAgain
}

// Load implements memory.Provider. What others change is seen within a second.
func (r *ReadOnly) Load(ctx context.Context) (v memory.View, err error) {
	err = r.reading(ctx, "load", func(p *Provider) error {
		v, err = p.Load(ctx)
		return err
	})
	return v, err
}

// History implements memory.Provider.
func (r *ReadOnly) History(ctx context.Context, m memory.Match) (out []memory.Record, err error) {
	err = r.reading(ctx, "history", func(p *Provider) error {
		out, err = p.History(ctx, m)
		return err
	})
	return out, err
}

// Removed implements memory.Remover.
func (r *ReadOnly) Removed(ctx context.Context, most int) (out []memory.Removed, err error) {
	err = r.reading(ctx, "list what was removed", func(p *Provider) error {
		out, err = p.Removed(ctx, most)
		return err
	})
	return out, err
}

// Apply implements memory.Provider: it refuses, with KindReadOnly or KindDenied.
func (r *ReadOnly) Apply(context.Context, memory.Change) (memory.Result, error) {
	return memory.Result{}, r.refusal("apply", "written")
}

// Cause is why the folder can't be written.
func (r *ReadOnly) Cause() string { return memory.ReasonOf(r.refusal("", "written")) }

// refusal is the error of an operation, which says what can't be done with the folder.
func (r *ReadOnly) refusal(op, done string) *memory.Error {
	why := r.cause
	var e *memory.Error
	if errors.As(why, &e) && e.Err != nil {
		why = e.Err
	}
	var path *fs.PathError
	if errors.As(why, &path) {
		why = path.Err
	}
	err := &memory.Error{
		Op: op, Kind: memory.KindDenied, Hint: "let this user read and write the folder and its files (chown, chmod)",
		Err: fmt.Errorf("%s can't be %s: %w", r.dir, done, why),
	}
	switch {
	case errors.Is(why, unix.EROFS):
		err.Kind, err.Hint = memory.KindReadOnly, "mount the file system of that folder for writing (mount -o remount,rw)"
	case !unwritable(why):
		err.Kind, err.Hint = memory.KindOf(wrap(op, why)), ""
	}
	return err
}

// Moved reports whether the folder is to be opened anew: another stands in its
// place, or it may be written now.
func (r *ReadOnly) Moved() bool {
	if r.place != placeOf(r.dir) {
		return true
	}
	if !r.writable() {
		return false
	}
	r.mu.RLock()
	defer r.mu.RUnlock()
	return !r.odd || r.due()
}

// writable asks the system whether this process may write the folder, or make it.
func (r *ReadOnly) writable() bool {
	if r.place == (place{}) {
		at := filepath.Dir(r.dir)
		for at != filepath.Dir(at) {
			if _, err := os.Lstat(at); !errors.Is(err, os.ErrNotExist) {
				break
			}
			at = filepath.Dir(at)
		}
		return unix.Access(at, unix.W_OK|unix.X_OK) == nil
	}
	if unix.Access(r.dir, unix.R_OK|unix.W_OK|unix.X_OK) != nil {
		return false
	}
	for _, name := range []string{lockName, walName, journalName} {
		err := unix.Access(filepath.Join(r.dir, name), unix.R_OK|unix.W_OK)
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return false
		}
	}
	return true
}

// Check implements memory.Checker.
func (r *ReadOnly) Check(ctx context.Context) (h memory.Health, err error) {
	err = r.reading(ctx, "check", func(p *Provider) error {
		h, err = p.Check(ctx)
		for i := range h.Problems {
			r.stays(&h.Problems[i])
		}
		return err
	})
	e := r.refusal("", "written")
	h.Problems = append([]memory.Problem{{Path: ".", Code: "read_only", Reason: e.Reason(), Mend: e.Hint}}, h.Problems...)
	return h, err
}

// stays words a problem anew that is dealt with in memory alone.
func (r *ReadOnly) stays(p *memory.Problem) {
	if r.real != nil {
		if _, err := r.real.Lstat(p.Path); err == nil {
			return
		}
	}
	switch {
	case strings.HasPrefix(p.Path, rejectedDir+"/"):
		p.Path, p.Mend = strings.TrimPrefix(p.Path, rejectedDir+"/"), "mend the text"
	case strings.HasPrefix(p.Path, journalName):
		p.Path, p.Reason = journalName, strings.TrimPrefix(p.Reason, mended)
		p.Mend = "make the folder writable: the lines that can be read go on then, the damaged journal is set aside, the entries stay"
	}
}

// Repair implements memory.Checker: nothing can be mended here.
func (r *ReadOnly) Repair(ctx context.Context) (memory.Health, error) { return r.Check(ctx) }

// SetAside counts the texts that were set aside; see [Provider.SetAside].
func (r *ReadOnly) SetAside() int {
	r.mu.RLock()
	defer r.mu.RUnlock()
	if r.inner == nil || r.real == nil {
		return 0
	}
	return countAside(r.real)
}

// Close implements memory.Provider.
func (r *ReadOnly) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.inner == nil {
		return nil
	}
	err := r.inner.Close()
	r.inner = nil
	return err
}
