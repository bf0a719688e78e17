package recall

import (
	"context"
	"errors"
	"log/slog"
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

// Indexes keeps an index of the conversations of each project, in step with the
// store that has them, whichever program writes to that. Its methods are safe for
// concurrent use.
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

// Index returns the index of a project, nil when it has no conversations. What the
// store acknowledged before the call is in it, unless that takes longer than
// Options.Patience: then behind is true, and the rest follows in the background.
func (l *Indexes) Index(ctx context.Context, store *process.Store, project string) (index *Conversations, behind bool, err error) {
	p, err := l.project(store, project)
	if err != nil {
		return nil, false, err
	}
	if err := p.enter(ctx); err != nil {
		return nil, false, searchError(err)
	}
	defer p.leave()
	index, behind, err = p.catchUp(ctx)
	if err == nil && !p.working && (behind || p.dirty) {
		l.goOn(p)
	}
	return index, behind, err
}

func (l *Indexes) project(store *process.Store, project string) (*projectIndex, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return nil, errIndexesClosed
	}
	key := projectKey{store, project}
	p := l.projects[key]
	if p == nil {
		p = &projectIndex{opts: &l.opts, store: store, project: project, turn: make(chan struct{}, 1), todo: map[string]bool{}}
		l.projects[key] = p
	}
	return p, nil
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

// Behind counts the conversations that are known to have more than the indexes,
// of all projects that were searched.
func (l *Indexes) Behind() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, p := range l.projects {
		n += int(p.left.Load())
	}
	return n
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
