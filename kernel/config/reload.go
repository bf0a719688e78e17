package config

import (
	"context"
	"maps"
	"path/filepath"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/watch"
)

// Hooks is what a [Reloader] calls. Zero fields are not called. Calls come one
// after another.
type Hooks struct {
	// Admit is asked about each configuration that was read, also an equal one: it
	// says whether what the configuration names is fit for use, and may put that in
	// force. An error refuses the configuration as a whole.
	Admit func(*Loaded) error
	// Changed is called with each new configuration in force; also with an equal
	// one when it ends a time of errors.
	Changed func(*Loaded)
	// Failed is called when the files have a problem, once for each new one. What
	// is in force stays: all of it, or, where only a project's file has a mistake,
	// what that file said before.
	Failed func(error)
}

// Reloader keeps the configuration in force and swaps it for a newer one that is
// valid. Its methods may be called from any goroutine.
type Reloader struct {
	hooks Hooks
	quiet time.Duration // of the watch; 0 is its default

	mu      sync.Mutex
	current *Loaded
	failure string // that Failed was last told, or ""
	rules   string // the file of rules that the files named last, in force or not
}

// NewReloader returns a reloader with a configuration in force.
func NewReloader(l *Loaded, hooks Hooks) *Reloader {
	r := &Reloader{current: l, hooks: hooks, rules: l.Config.Scanner.Rules}
	if l.Refused != nil {
		r.failure = l.Refused.Error()
	}
	return r
}

// Current returns the configuration in force.
func (r *Reloader) Current() *Loaded {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.current
}

// Reload reads the files now, as on SIGHUP.
func (r *Reloader) Reload(ctx context.Context) {
	r.mu.Lock()
	defer r.mu.Unlock()
	l, err := working(ctx, r.current.Sources, r.current.texts)
	if ctx.Err() != nil {
		return // the failure is the caller's going away
	}
	if err == nil {
		r.rules = l.Config.Scanner.Rules
		if r.hooks.Admit != nil {
			err = r.hooks.Admit(l)
		}
	}
	if err != nil {
		r.fail(err)
		return
	}
	changed := !l.Config.Equal(r.current.Config) || r.failure != "" && l.Refused == nil
	r.current = l
	if changed && r.hooks.Changed != nil {
		r.hooks.Changed(l)
	}
	if l.Refused != nil {
		r.fail(l.Refused)
	} else {
		r.failure = ""
	}
}

// fail tells of an error, once: a folder in which much happens has the files
// read often.
func (r *Reloader) fail(err error) {
	if text := err.Error(); text != r.failure {
		r.failure = text
		if r.hooks.Failed != nil {
			r.hooks.Failed(err)
		}
	}
}

// Run reloads when the files change, until ctx is done, and returns nil then.
// What changed between Load and Run is seen. An error means that there is no
// watch, and only Reload is left.
func (r *Reloader) Run(ctx context.Context) error {
	w := watches{quiet: r.quiet, folders: map[string]*watch.Folder{}, changes: make(chan watch.Change, 1)}
	defer func() { _ = w.exactly(nil) }() // closing does not fail
	for {
		// Watch first and read then, or a change in between would be lost.
		rules := r.named()
		dirs := folders(r.Current().Sources.Paths(), rules)
		if err := w.exactly(dirs); err != nil {
			return err
		}
		r.Reload(ctx)
		// A link that changed before it was watched leads elsewhere, without an event.
		if rules != r.named() || !maps.Equal(dirs, folders(r.Current().Sources.Paths(), rules)) {
			continue
		}
		select {
		case <-ctx.Done():
			return nil
		case c := <-w.changes:
			if c.Err != nil {
				r.mu.Lock()
				r.fail(c.Err)
				r.mu.Unlock()
			}
		}
	}
}

func (r *Reloader) named() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rules
}

// folders returns where something must happen for one of the files to change: its
// folder, and that of the file that it links to. Those of the file of rules, whose
// value is false, are watched if they can be.
func folders(paths []string, rules string) map[string]bool {
	dirs := map[string]bool{}
	for i, path := range append([]string{rules}, paths...) {
		if path == "" {
			continue
		}
		dirs[filepath.Dir(path)] = i > 0
		if target, err := filepath.EvalSymlinks(path); err == nil {
			dirs[filepath.Dir(target)] = i > 0
		}
	}
	return dirs
}

// watches are the watches of folders.
type watches struct {
	watcher watch.Watcher
	quiet   time.Duration
	folders map[string]*watch.Folder
	changes chan watch.Change // one is enough: each means that all is read again
}

// exactly watches these folders and no others. It fails when a needed one, whose
// value is true, can't be watched.
func (w *watches) exactly(dirs map[string]bool) error {
	for dir, needed := range dirs {
		if w.folders[dir] != nil {
			continue
		}
		f, err := w.watcher.Add(dir, watch.Options{Quiet: w.quiet}, func(c watch.Change) {
			select {
			case w.changes <- c:
			default:
			}
		})
		switch {
		case err == nil:
			w.folders[dir] = f
		case needed:
			return err
		}
	}
	for dir, f := range w.folders {
		if _, wanted := dirs[dir]; !wanted {
			f.Close()
			delete(w.folders, dir)
		}
	}
	return nil
}
