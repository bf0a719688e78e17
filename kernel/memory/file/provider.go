package file

import (
	"context"
	"errors"
	"os"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Provider is a memory.Provider over one folder.
type Provider struct {
	place  location
	folder *openFolder
	worker *worker

	readers  sync.RWMutex // held by those who use the files without ex
	released bool

	ex chan struct{} // holds one token while somebody has the folder; guards what follows

	closed bool
	stale  bool   // reading the folder failed half way
	broken *batch // a batch that failed and could not be undone yet
}

var (
	_ memory.Provider   = (*Provider)(nil)
	_ memory.Checker    = (*Provider)(nil)
	_ memory.Chronicler = (*Provider)(nil)
)

// Open opens the folder dir, making it where it is missing. Hooks.Opened is
// called before it returns. Errors: KindInternal, KindDenied, KindTimeout.
func Open(ctx context.Context, dir string, opts Options) (*Provider, error) {
	f, err := prepare(dir, opts.orDefaults())
	if err != nil {
		return nil, wrap("open", err)
	}
	p := &Provider{place: locate(dir), folder: f, ex: make(chan struct{}, 1), stale: true}
	p.worker = newWorker(f, dir, p.exclusive)
	err = p.exclusive(ctx, func() error { return nil })
	if err != nil {
		p.worker.stop(false)
		return nil, errors.Join(wrap("open", err), p.release())
	}
	if err := f.ignore(dir); err != nil {
		f.opts.Logger.Warn("keep the logs out of a repository", "folder", dir, "error", err)
	}
	p.worker.start()
	return p, nil
}

// prepare makes the folder where it is missing, and reads nothing of it.
func prepare(path string, opts Options) (*openFolder, error) {
	boot, err := bootID(opts.BootID)
	if err != nil {
		return nil, err
	}
	made, err := reach(path, opts, true)
	if err == nil {
		err = made.Close()
	}
	if err != nil {
		return nil, err
	}
	fsys, err := opts.OpenFS(path)
	if err != nil {
		return nil, err
	}
	d := newDir(fsys)
	if err := d.loadKey(opts); err != nil {
		return nil, errors.Join(err, d.Close())
	}
	f := &openFolder{
		opts: opts, dir: d,
		logs:  &logs{dir: d, lock: &folderLock{dir: d, timeout: opts.LockTimeout}, boot: boot, walSize: opts.WALSize},
		aside: &quarantine{dir: d, hooks: opts.Hooks, clock: opts.Clock, log: opts.Logger},
	}
	f.forget()
	return f, nil
}

// exclusive runs fn while this goroutine alone, of all processes, has the
// folder, and after it has caught up with what the others did.
func (p *Provider) exclusive(ctx context.Context, fn func() error) error {
	select {
	case p.ex <- struct{}{}:
	case <-ctx.Done():
		return ctx.Err()
	}
	defer func() { <-p.ex }()
	if p.closed {
		return errClosed
	}
	lock := p.folder.logs.lock
	if err := lock.acquire(ctx); err != nil {
		return err
	}
	defer func() {
		if err := lock.file.Unlock(); err != nil {
			p.folder.opts.Logger.Error("unlock folder", "error", err)
		}
	}()
	if err := p.catchUp(ctx); err != nil {
		return err
	}
	err := fn()
	if left, ok := errors.AsType[errNotUndone](err); ok {
		p.broken = left.b
	}
	return err
}

// catchUp makes the state that of the folder. When nobody else was here it costs
// a read of the position and a look at the journal.
func (p *Provider) catchUp(ctx context.Context) error {
	lock := p.folder.logs.lock
	at, err := readPosition(p.folder.dir.key(), lock.file)
	if err != nil {
		return err
	}
	// A torn position is our own: a process that had the folder since left a whole one.
	if p.broken != nil && (at == lock.at || at == p.broken.at || at == (position{})) && !p.stale {
		if err := p.broken.rollback(); err != nil {
			return err
		}
		p.broken = nil
		at = lock.at
	}
	if p.stale || p.broken != nil {
		return p.reload(ctx)
	}
	info, err := p.folder.dir.Lstat(journalName)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if err != nil || info.Inode != at.Inode || info.Size != at.Journal || at.Gen < lock.at.Gen {
		return p.reload(ctx)
	}
	if at != lock.at && p.folder.follow(at) != nil {
		return p.reload(ctx)
	}
	return nil
}

func (p *Provider) reload(ctx context.Context) error {
	p.stale, p.broken = true, nil
	if err := p.folder.dir.cleanTemps(); err != nil {
		return err
	}
	err := p.folder.reload(ctx)
	p.stale = err != nil
	return err
}

// Load implements memory.Provider. It takes no lock unless another process
// changed the folder.
func (p *Provider) Load(ctx context.Context) (memory.View, error) {
	if err := p.refresh(ctx); err != nil {
		return memory.View{}, wrap("load", err)
	}
	return *p.folder.published.Load(), nil
}

// refresh catches up when another process changed the folder.
func (p *Provider) refresh(ctx context.Context) error {
	if p.folder.logs.lock.current() {
		return nil
	}
	return p.exclusive(ctx, func() error { return nil })
}

// Apply implements memory.Provider. Changes that arrive while others are being
// written become durable together.
func (p *Provider) Apply(ctx context.Context, ch memory.Change) (memory.Result, error) {
	r := &request{ctx: ctx, ch: ch, done: make(chan struct{})}
	select {
	case p.worker.requests <- r:
	case <-ctx.Done():
		return memory.Result{}, wrap("apply", ctx.Err())
	case <-p.worker.stopped:
		return memory.Result{}, wrap("apply", errClosed)
	}
	<-r.done
	return r.result, r.err
}

// reading calls fn with the folder's files, which are not closed meanwhile, and
// the newest view.
func (p *Provider) reading(ctx context.Context, op string, fn func(history) error) error {
	if err := p.refresh(ctx); err != nil {
		return wrap(op, err)
	}
	p.readers.RLock()
	defer p.readers.RUnlock()
	if p.released {
		return wrap(op, errClosed)
	}
	return fn(history{dir: p.folder.dir, view: *p.folder.published.Load()})
}

// History implements memory.Provider.
func (p *Provider) History(ctx context.Context, m memory.Match) (out []memory.Record, err error) {
	err = p.reading(ctx, "history", func(h history) error {
		out, err = h.of(ctx, m)
		return err
	})
	return out, err
}

// Changes implements memory.Chronicler.
func (p *Provider) Changes(ctx context.Context, most int, pass func(*memory.Record) bool) (out []memory.Record, err error) {
	err = p.reading(ctx, "list changes", func(h history) error {
		out, err = h.changes(ctx, most, pass)
		return err
	})
	return out, err
}

// SetAside counts the texts that were set aside, for a status that must not wait
// for the folder. An unreadable folder counts as none: Check says what is wrong
// with it.
func (p *Provider) SetAside() int {
	p.readers.RLock()
	defer p.readers.RUnlock()
	if p.released {
		return 0
	}
	return p.folder.aside.count()
}

// Moved reports whether the folder's path no longer leads to the folder that was
// opened: it was removed, renamed, or another one stands there. A provider keeps
// to its folder, so whoever asked for the path has to open it anew. So it is where
// another journal stands there, which may be another key's.
func (p *Provider) Moved() bool {
	p.readers.RLock()
	defer p.readers.RUnlock()
	if p.released || p.place != locate(p.place.dir) {
		return true
	}
	info, err := p.folder.dir.Lstat(journalName)
	return err == nil && info.Inode != p.folder.logs.lock.ino.Load()
}

// Check implements memory.Checker.
func (p *Provider) Check(ctx context.Context) (h memory.Health, err error) {
	err = p.exclusive(ctx, func() error {
		h, err = p.check(ctx)
		return err
	})
	return h, wrap("check", err)
}

func (p *Provider) check(ctx context.Context) (memory.Health, error) {
	c := checker{openFolder: p.folder}
	if err := p.worker.lastProblem(); err != nil {
		c.add(".", "not_watched", "edits by hand are taken in seconds late: "+err.Error(), "raise the limits of inotify (sysctl fs.inotify)")
	}
	return c.check(ctx)
}

// Repair implements memory.Checker. It takes in what was edited, removes what a
// crash left, begins a damaged journal anew and makes everything durable. It
// rewrites no person's file.
func (p *Provider) Repair(ctx context.Context) (h memory.Health, err error) {
	err = p.exclusive(ctx, func() error {
		if err := p.repair(ctx); err != nil {
			return err
		}
		h, err = p.check(ctx)
		return err
	})
	return h, wrap("repair", err)
}

func (p *Provider) repair(ctx context.Context) error {
	if err := p.folder.dir.cleanTemps(); err != nil {
		return err
	}
	damage, err := p.folder.journalDamage(ctx)
	if err != nil {
		return err
	}
	if damage != "" {
		if err := p.reload(ctx); err != nil {
			return err
		}
	}
	if err := p.folder.reconcileAll(ctx); err != nil {
		return err
	}
	return p.folder.logs.checkpoint()
}

// Close implements memory.Provider.
func (p *Provider) Close() error {
	p.worker.stop(true)
	err := p.exclusive(context.Background(), p.folder.logs.checkpoint)
	if errors.Is(err, errClosed) {
		return nil
	}
	if locate(p.worker.path) == (location{}) { // nothing is left to make durable
		err = unless(err, os.ErrNotExist)
	}
	p.ex <- struct{}{}
	defer func() { <-p.ex }()
	return wrap("close", errors.Join(unless(err, errForeign), p.release()))
}

// release closes what is open. Nobody else uses p, or ex is held.
func (p *Provider) release() error {
	p.closed = true
	f := p.folder
	err := errors.Join(f.logs.close(), f.logs.lock.close())
	p.readers.Lock()
	defer p.readers.Unlock()
	p.released = true
	return errors.Join(err, f.dir.Close())
}
