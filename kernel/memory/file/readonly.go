package file

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// lookAgain is how often a folder that can't be written is looked at for changes
// by those who can.
const lookAgain = time.Second

// ReadOnly is a memory.Provider over a folder that this process can't write: it
// reads the entries' files without the lock and refuses changes. It is made by
// [OpenOrRead].
type ReadOnly struct {
	path  string
	opts  Options
	cause error // why the folder can't be written, or is not yet: errForeign
	place location
	odd   bool // the system says that it can be written

	mu     sync.Mutex
	closed bool
	taken  bool // a change was made: the folder is this user's to write
	dir    *dir // nil: there is no folder
	last   *readView
	looked time.Time
	sign   map[string]Info // of what was read
}

var (
	_ memory.Provider   = (*ReadOnly)(nil)
	_ memory.Checker    = (*ReadOnly)(nil)
	_ memory.Chronicler = (*ReadOnly)(nil)
)

// OpenOrRead opens the folder dir like [Open], and where it can't be written, for
// reading: as a [ReadOnly], which has no entries where there is no folder. So it does
// where the journal was written with another key, until the first change.
func OpenOrRead(ctx context.Context, dir string, opts Options) (memory.Provider, error) {
	opts.keepForeign = true
	p, err := Open(ctx, dir, opts)
	if err == nil {
		return p, nil
	}
	if !unwritable(err) && !errors.Is(err, errKey) && !errors.Is(err, errForeign) {
		return nil, err
	}
	r := &ReadOnly{path: dir, opts: opts.orDefaults(), cause: err, place: locate(dir)}
	r.odd = r.writable()
	if err := r.open(ctx); err != nil {
		r.cause = err
		return nil, r.refusal("open", "read")
	}
	return r, nil
}

// open opens the folder, if there is one, and reads it. mu is held, or nobody
// else has r.
func (r *ReadOnly) open(ctx context.Context) error {
	if _, err := os.Lstat(r.path); errors.Is(err, os.ErrNotExist) {
		r.last = &readView{}
		return nil
	}
	fsys, err := r.opts.OpenFS(r.path)
	if err != nil {
		return err
	}
	r.dir = newDir(fsys)
	_ = r.dir.loadKey(r.opts) // without it, nothing is believed
	if err := r.read(ctx); err != nil {
		return errors.Join(err, r.dir.Close())
	}
	return nil
}

// maxTries bounds the readings of a folder that somebody else is changing.
const maxTries = 3

// read reads the folder until nobody changes it meanwhile. mu is held.
func (r *ReadOnly) read(ctx context.Context) error {
	for try := 1; ; try++ {
		sign := signature(r.dir)
		next, err := readFolder(ctx, r.dir, r.opts)
		if err != nil {
			return err
		}
		if try < maxTries && !maps.Equal(sign, signature(r.dir)) {
			continue
		}
		r.last, r.sign, r.looked = next, sign, r.opts.Clock()
		if opened := r.opts.Hooks.Opened; opened != nil {
			opened(next.view.Entries)
		}
		return nil
	}
}

// look returns the folder as it was a moment ago at the latest. mu is held.
func (r *ReadOnly) look(ctx context.Context, op string) (*readView, error) {
	if r.closed {
		return nil, wrap(op, errClosed)
	}
	if r.dir == nil || !r.due() {
		return r.last, nil
	}
	if maps.Equal(signature(r.dir), r.sign) {
		r.looked = r.opts.Clock()
		return r.last, nil
	}
	return r.last, wrap(op, r.read(ctx))
}

func (r *ReadOnly) due() bool {
	since := r.opts.Clock().Sub(r.looked)
	return since < 0 || since >= lookAgain
}

// reading calls fn with the folder as it was a moment ago at the latest.
func (r *ReadOnly) reading(ctx context.Context, op string, fn func(*readView, history) error) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	now, err := r.look(ctx, op)
	if err != nil {
		return err
	}
	return fn(now, history{dir: r.dir, view: now.view})
}

// Load implements memory.Provider. What others change is seen within a second.
func (r *ReadOnly) Load(ctx context.Context) (v memory.View, err error) {
	err = r.reading(ctx, "load", func(now *readView, _ history) error {
		v = now.view
		return nil
	})
	return v, err
}

// History implements memory.Provider.
func (r *ReadOnly) History(ctx context.Context, m memory.Match) (out []memory.Record, err error) {
	err = r.reading(ctx, "history", func(_ *readView, h history) error {
		out, err = h.of(ctx, m)
		return err
	})
	return out, err
}

// Changes implements memory.Chronicler.
func (r *ReadOnly) Changes(ctx context.Context, most int, pass func(*memory.Record) bool) (out []memory.Record, err error) {
	err = r.reading(ctx, "list changes", func(_ *readView, h history) error {
		out, err = h.changes(ctx, most, pass)
		return err
	})
	return out, err
}

// Apply implements memory.Provider: it refuses, with KindReadOnly or KindDenied. Where
// the journal was written with another key it is set aside for the first change; one
// without operations, of a sweep, is none. With [Options].Foreign it stays.
func (r *ReadOnly) Apply(ctx context.Context, ch memory.Change) (memory.Result, error) {
	if !r.foreign() || len(ch.Ops) == 0 {
		return memory.Result{}, r.refusal("apply", "written")
	}
	if r.opts.Foreign != nil {
		return memory.Result{}, r.opts.Foreign
	}
	opts := r.opts
	opts.keepForeign = false
	p, err := Open(ctx, r.path, opts)
	if err != nil {
		return memory.Result{}, err
	}
	res, err := p.Apply(ctx, ch)
	if err := p.Close(); err != nil { // the change is durable without it
		r.opts.Logger.Error("close folder", "error", err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.taken, r.looked = true, time.Time{}
	return res, err
}

func (r *ReadOnly) foreign() bool { return errors.Is(r.cause, errForeign) }

// Cause is why the folder can't be written; "" where it can.
func (r *ReadOnly) Cause() string {
	if r.foreign() {
		return ""
	}
	return memory.ReasonOf(r.refusal("", "written"))
}

// refusal is the error of an operation, which says what can't be done with the folder.
func (r *ReadOnly) refusal(op, done string) *memory.Error {
	why := r.cause
	if r.foreign() {
		return &memory.Error{Op: op, Kind: memory.KindReadOnly, Err: errForeign.Err, Hint: errForeign.Hint}
	}
	var e *memory.Error
	if errors.As(why, &e) && e.Err != nil {
		why = e.Err
	}
	if errors.Is(why, errKey) {
		return &memory.Error{Op: op, Kind: e.Kind, Err: fmt.Errorf("%s can't be %s: %w", r.path, done, why), Hint: e.Hint}
	}
	if path, ok := errors.AsType[*fs.PathError](why); ok {
		why = path.Err
	}
	err := &memory.Error{
		Op: op, Kind: memory.KindDenied, Hint: "let this user read and write the folder and its files (chown, chmod)",
		Err: fmt.Errorf("%s can't be %s: %w", r.path, done, why),
	}
	switch {
	case errors.Is(why, unix.EROFS):
		err.Kind, err.Hint = memory.KindReadOnly, "mount the file system of that folder for writing (mount -o remount,rw); in an agent's sandbox, let it write there (Codex: sandbox_workspace_write.writable_roots, Claude Code: sandbox.filesystem.allowWrite)"
	case full(why):
		err.Kind, err.Hint = memory.KindInternal, "make room on the disk of that folder"
	case !unwritable(why):
		err.Kind, err.Hint = memory.KindOf(wrap(op, why)), ""
	}
	return err
}

// Moved reports whether the folder is to be opened anew: another stands in its
// place, or it may be written now.
func (r *ReadOnly) Moved() bool {
	if r.place != locate(r.path) {
		return true
	}
	if r.foreign() {
		r.mu.Lock()
		defer r.mu.Unlock()
		return r.taken
	}
	if !r.writable() {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return !r.odd || r.due()
}

// writable asks the system whether this process may write the folder, or make it.
func (r *ReadOnly) writable() bool {
	if r.place == (location{}) {
		return unix.Access(existing(r.path), unix.W_OK|unix.X_OK) == nil
	}
	if unix.Access(r.path, unix.R_OK|unix.W_OK|unix.X_OK) != nil {
		return false
	}
	for _, name := range []string{lockName, walName, journalName} {
		err := unix.Access(filepath.Join(r.path, name), unix.R_OK|unix.W_OK)
		if err != nil && !errors.Is(err, unix.ENOENT) {
			return false
		}
	}
	return true
}

// Check implements memory.Checker.
func (r *ReadOnly) Check(ctx context.Context) (h memory.Health, err error) {
	err = r.reading(ctx, "check", func(now *readView, _ history) error {
		e := r.refusal("", "written")
		h.Entries = len(now.view.Entries)
		first := memory.Problem{Path: ".", Code: "read_only", Reason: e.Reason(), Mend: e.Hint}
		if r.foreign() {
			first.Path, first.Code = journalName, "foreign_journal"
		}
		h.Problems = append([]memory.Problem{first}, now.problems...)
		return nil
	})
	return h, err
}

// Repair implements memory.Checker: nothing can be mended here.
func (r *ReadOnly) Repair(ctx context.Context) (memory.Health, error) { return r.Check(ctx) }

// SetAside counts the texts that were set aside; see [Provider.SetAside].
func (r *ReadOnly) SetAside() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed || r.dir == nil {
		return 0
	}
	return (&quarantine{dir: r.dir}).count()
}

// Close implements memory.Provider.
func (r *ReadOnly) Close() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil
	}
	r.closed, r.last = true, nil
	if r.dir == nil {
		return nil
	}
	return r.dir.Close()
}
