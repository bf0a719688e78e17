package file

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/watch"
)

// quiet is how long a folder must be quiet before an edit is read: editors write
// in several steps.
const quiet = 75 * time.Millisecond

// background is what runs beside the callers: the watch, and the checkpoint when
// nothing happens. Its owner is the Provider, whose Close waits for both.
type background struct {
	p      *Provider
	dir    string
	ctx    context.Context
	cancel context.CancelFunc
	opened chan struct{} // closed when the first state stands
	wg     sync.WaitGroup
	once   sync.Once

	mu        sync.Mutex
	watch     *watch.Folder // nil: not watching
	unwatched error         // why there is no watch, where there was to be one
}

// newBackground begins to watch: what is edited while the folder is being read
// is told after that.
func (p *Provider) newBackground(dir string) *background {
	g := &background{p: p, dir: dir, opened: make(chan struct{})}
	g.ctx, g.cancel = context.WithCancel(context.Background())
	if p.opts.Watcher != nil {
		g.look()
		if err := g.problem(); err != nil {
			p.log.Warn("edits by hand are looked for, not told of", "folder", dir, "error", err)
		}
	}
	return g
}

// look asks for a watch. Where there is none to be had, idle looks at the files.
func (g *background) look() {
	f, err := g.p.opts.Watcher.Add(g.dir, watch.Options{Quiet: quiet}, g.told)
	g.mu.Lock()
	defer g.mu.Unlock()
	g.watch, g.unwatched = f, err
}

// problem is why there is no watch.
func (g *background) problem() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.unwatched
}

// start lets the background work. The first state stands.
func (g *background) start() {
	close(g.opened)
	g.wg.Go(g.idle)
}

// stop ends it and waits for it.
func (g *background) stop() {
	if g == nil {
		return
	}
	g.once.Do(func() {
		g.cancel()
		g.wg.Wait()
		if g.watch != nil {
			g.watch.Close()
		}
	})
}

// idle makes a checkpoint when a whole period passed without a change, and looks
// for edits where nothing tells of them.
func (g *background) idle() {
	tick := time.NewTicker(g.p.opts.Idle)
	defer tick.Stop()
	var last int64
	for {
		select {
		case <-g.ctx.Done():
			return
		case <-tick.C:
		}
		if g.problem() != nil {
			g.look()
			g.report("take in edits", g.p.exclusive(g.ctx, func() error { return g.p.settleAll(g.ctx) }))
		}
		if s := g.p.published.Load().view.Sequence; s != last {
			last = s
			continue
		}
		g.p.spares.drop(idleSpares)
		if g.p.pendingSync.Load() {
			g.report("checkpoint", g.p.exclusive(g.ctx, g.p.checkpoint))
		}
	}
}

// told takes in what the watch saw. Files that are as we wrote them are passed
// over without a lock.
func (g *background) told(c watch.Change) {
	select {
	case <-g.opened:
	case <-g.ctx.Done():
		return
	}
	if c.Err != nil {
		g.p.log.Warn("watch", "error", c.Err)
	}
	var names []string
	for _, path := range c.Paths {
		if name := filepath.Base(path); isEntryName(name) && !g.p.ours(name) {
			names = append(names, name)
		}
	}
	if len(names) == 0 && !c.Rescan {
		return
	}
	g.report("take in edits", g.p.exclusive(g.ctx, func() error {
		if c.Rescan {
			return g.p.settleAll(g.ctx)
		}
		return g.p.settle(g.ctx, g.p.onlyDiffering(names))
	}))
}

func (g *background) report(what string, err error) {
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, errClosed) {
		g.p.log.Error("background work failed", "work", what, "error", err)
	}
}

// ours reports whether a file is as it was last written or read here.
func (p *Provider) ours(name string) bool {
	p.identMu.Lock()
	mine, known := p.ident[name]
	p.identMu.Unlock()
	if !known {
		return false
	}
	info, err := p.fs.Lstat(name)
	return err == nil && info == mine
}
