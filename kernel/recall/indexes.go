package recall

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// IndexesOptions sets up a [Indexes]. The zero value works.
type IndexesOptions struct {
	// Logger takes failures of indexing in the background. Default none.
	Logger *slog.Logger
	// Patience is how long a search waits for turns that were not indexed yet.
	// What takes longer goes on in the background. Default 150 ms.
	Patience time.Duration
	// Quiet is how long nothing must have been added before it is made durable.
	// Default 1 s.
	Quiet time.Duration
	// BootID names the run of the machine: what was followed in another one has
	// to be looked at again. "" never trusts what was followed before.
	BootID string
}

// maxOpen is how many indexes of one store stay open; more only while they are held.
const maxOpen = 16

// Indexes keeps an index of the conversations of each project, in step with the
// store that has them, whichever program writes to that. Of each store those used
// last stay open. Its methods are safe for concurrent use.
type Indexes struct {
	opts   IndexesOptions
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	projects map[projectKey]*projectIndex
}

type projectKey struct {
	store   *process.Store
	project string
}

// NewIndexes returns no index yet. It must be closed.
func NewIndexes(opts IndexesOptions) *Indexes {
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Patience <= 0 {
		opts.Patience = 150 * time.Millisecond
	}
	if opts.Quiet <= 0 {
		opts.Quiet = time.Second
	}
	l := &Indexes{opts: opts, projects: map[projectKey]*projectIndex{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

var errIndexesClosed = memory.Errorf(memory.KindUnavailable, "recall", "the indexes are closed")

// Index returns the index of a project, nil when it has no conversations; it stays
// open until it is released. What the store acknowledged before the call is in it,
// unless that takes longer than Options.Patience: then behind is true, and the rest
// follows in the background.
func (l *Indexes) Index(ctx context.Context, store *process.Store, project string) (index *Conversations, behind bool, err error) {
	p, err := l.enter(ctx, projectKey{store, project})
	if err != nil {
		return nil, false, err
	}
	defer p.leave()
	index, behind, err = p.catchUp(ctx)
	if err == nil && !p.working && (behind || p.dirty) {
		l.goOn(p)
	}
	if index != nil {
		index.Hold()
	}
	return index, behind, err
}

// enter returns a project whose turn the caller has.
func (l *Indexes) enter(ctx context.Context, key projectKey) (*projectIndex, error) {
	for {
		p, retired, err := l.project(key)
		if retired != nil {
			l.end(retired)
		}
		if err != nil {
			return nil, err
		}
		if err := p.enter(ctx); err != nil {
			return nil, searchError(err)
		}
		if !p.retired.Load() {
			return p, nil
		}
		p.leave()
	}
}

// project returns a project, and one that is to be ended, or nil.
func (l *Indexes) project(key projectKey) (p, retired *projectIndex, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, nil, errIndexesClosed
	}
	p = l.projects[key]
	if p == nil {
		p = &projectIndex{opts: &l.opts, projectKey: key, turn: make(chan struct{}, 1), todo: map[string]bool{}}
		l.projects[key] = p
	}
	p.used = time.Now()
	return p, l.retire(p), nil
}

// retire picks the project of p's store that was used longest ago and that nobody
// has, when there are too many. The caller has its turn then, and ends it.
func (l *Indexes) retire(p *projectIndex) *projectIndex {
	list := slices.DeleteFunc(slices.Collect(maps.Values(l.projects)), func(o *projectIndex) bool {
		return o.store != p.store || o.retired.Load()
	})
	if len(list) <= maxOpen {
		return nil
	}
	slices.SortFunc(list, func(a, b *projectIndex) int { return a.used.Compare(b.used) })
	for _, o := range list {
		if o != p && o.retire() {
			return o
		}
	}
	return nil
}

// end closes what was retired. Who waits for its turn meanwhile opens it anew.
func (l *Indexes) end(p *projectIndex) {
	if err := p.end(); err != nil {
		l.opts.Logger.Error("recall: close an index", slog.Any("error", err))
	}
	l.mu.Lock()
	delete(l.projects, p.projectKey)
	l.mu.Unlock()
	p.leave()
}

// goOn works in the background on what is left, and makes it durable.
func (l *Indexes) goOn(p *projectIndex) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.closed {
		p.working = true
		l.tasks.Go(func() { p.work(l.ctx) })
	}
}

// Lag says how many conversations are known to have more than their index, and for how
// long the index that is furthest behind has been so.
func (l *Indexes) Lag() (conversations int64, longest time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.projects {
		conversations += p.left.Load()
		if at := p.behind.Load(); at > 0 {
			longest = max(longest, time.Since(time.Unix(0, at)))
		}
	}
	return conversations, longest
}

// Close makes what was indexed durable and frees the indexes. It may be called
// more than once.
func (l *Indexes) Close() error {
	l.mu.Lock()
	projects := l.projects
	l.closed, l.projects = true, nil
	l.mu.Unlock()
	l.cancel()
	l.tasks.Wait()
	var errs []error
	for _, p := range projects {
		errs = append(errs, p.close())
	}
	return errors.Join(errs...)
}
