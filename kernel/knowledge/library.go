package knowledge

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/recall"
)

// Options sets up a [Library].
type Options struct {
	Dir    string                       // the cache, which need not be there
	Home   string                       // what ~ stands for
	Rows   func() []config.KnowledgeRow // as they are in force
	Redact process.Redactor
	Name   func(label, text string) string // a path without secrets
	Logger *slog.Logger
	// Brief has everything wait until all is read: for a program that lives for one
	// request.
	Brief bool
}

// Collection is what is known of a row.
type Collection struct {
	Name      string    `json:"name"`
	Documents int       `json:"documents"`
	Sections  int       `json:"sections"`
	Bytes     int64     `json:"bytes"`         // of the files
	Read      time.Time `json:"read,omitzero"` // when it was last looked through
	Problems  []string  `json:"problems,omitempty"`
}

// Library is the collections of one user. It is safe for concurrent use.
type Library struct {
	opts   Options
	ctx    context.Context
	cancel context.CancelFunc
	tasks  sync.WaitGroup

	mu       sync.Mutex
	index    *recall.Conversations // nil until there is something in it
	texts    *texts
	borrowed bool          // another program keeps the index
	pass     chan struct{} // closed at the end of the pass that runs; nil: none does
	again    bool          // another pass is to follow
	anew     bool          // it throws away what is there
	looked   time.Time
	state    []Collection
}

// New returns a library that has read nothing. It must be closed.
func New(opts Options) *Library {
	l := &Library{opts: opts, state: []Collection{}}
	l.ctx, l.cancel = context.WithCancel(context.Background())
	return l
}

// Close ends what goes on, and frees the index.
func (l *Library) Close() error {
	l.cancel()
	l.tasks.Wait()
	if l.index == nil {
		return nil
	}
	return l.index.Close()
}

const (
	patience = 25 * time.Millisecond // how long a search waits for what is being read
	fresh    = time.Minute           // how long what was looked through counts as known
)

// Refresh looks for documents that are new, have changed or are gone, and reads them, in
// the background. With anew it reads all.
func (l *Library) Refresh(anew bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.anew, l.again = l.anew || anew, l.pass != nil
	l.begin()
}

// begin makes a pass, unless there is one. The library is locked.
func (l *Library) begin() {
	if l.pass == nil && l.ctx.Err() == nil {
		l.pass = make(chan struct{})
		l.tasks.Go(l.run)
	}
}

// run makes passes until none is asked for.
func (l *Library) run() {
	for more := true; more; {
		if err := l.look(l.ctx); err != nil && l.ctx.Err() == nil {
			l.opts.Logger.Error("knowledge: not everything was read", "err", err)
		}
		l.mu.Lock()
		l.looked = time.Now()
		more, l.again = l.again && l.ctx.Err() == nil, false
		if !more {
			close(l.pass)
			l.pass = nil
		}
		l.mu.Unlock()
	}
}

// settled waits for a pass: for a moment, or in a brief program until it ends. It
// begins one if the last is long ago.
func (l *Library) settled(ctx context.Context, wait time.Duration) (behind bool) {
	l.mu.Lock()
	if time.Since(l.looked) > fresh || l.index != nil && l.index.Damaged() {
		l.begin()
	}
	pass := l.pass
	l.mu.Unlock()
	if l.opts.Brief {
		wait = time.Hour
	}
	if pass == nil {
		return false
	}
	select {
	case <-pass:
		return false
	case <-ctx.Done():
	case <-time.After(wait):
	}
	return true
}

// Index returns the index to be searched, nil where there is nothing in it; behind says
// that more is being read. It is to be released.
func (l *Library) Index(ctx context.Context) (index *recall.Conversations, behind bool, err error) {
	if len(l.opts.Rows()) == 0 {
		return nil, false, memory.Errorf(memory.KindNotFound, "recall", `there is no knowledge: memory.yaml names no folders of documents; "rnixfs knowledge add DIR" adds one`)
	}
	behind = l.settled(ctx, patience)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.index != nil {
		l.index.Hold()
	}
	return l.index, behind, nil
}

// Collections tells what there is, as far as it was looked at.
func (l *Library) Collections(ctx context.Context) (list []Collection, behind bool) {
	behind = l.settled(ctx, 0)
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state, behind
}
