package config

import (
	"context"
	"path/filepath"
	"slices"
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
	return &Reloader{current: l, hooks: hooks, failure: textOf(l.Refused), rules: l.Config.Scanner.Rules}
}

// Watch follows the files that l was loaded from, and those that could have
// been, until ctx is done; see [Reloader.Run].
func Watch(ctx context.Context, l *Loaded, changed func(*Loaded), failed func(error)) error {
	return NewReloader(l, Hooks{Changed: changed, Failed: failed}).Run(ctx)
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
	l, err := working(ctx, r.current.Sources, r.current)
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

// textOf is what an error says, "" for none.
func textOf(e *Error) string {
	if e == nil {
		return ""
	}
	return e.Error()
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
	w := watches{folders: map[string]*watch.Folder{}, quiet: r.quiet, changes: make(chan watch.Change, 1)}
	defer w.close()
	for {
		// Watch first and read then, or a change in between would be lost.
		rules, err := r.follow(&w)
		if err != nil {
			return err
		}
		r.Reload(ctx)
		if rules != r.named() {
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

// follow watches what the configuration is made of, and returns the file of rules
// that belongs to it.
func (r *Reloader) follow(w *watches) (rules string, err error) {
	dirs := folders(r.Current().Sources.Paths())
	if rules = r.named(); rules != "" {
		for _, dir := range folders([]string{rules}) {
			if w.add(dir) == nil { // one that can't be watched is no reason to watch nothing
				dirs = append(dirs, dir)
			}
		}
	}
	return rules, w.exactly(dirs)
}

func (r *Reloader) named() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.rules
}

// folders returns where something must happen for one of the files to change:
// its folder, and that of the file that it links to.
func folders(paths []string) []string {
	var dirs []string
	for _, path := range paths {
		dirs = append(dirs, filepath.Dir(path))
		if target, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(target))
		}
	}
	return dirs
}

// watches are the watches of folders.
type watches struct {
	watcher watch.Watcher
	folders map[string]*watch.Folder
	quiet   time.Duration
	changes chan watch.Change // one is enough: each means that all is read again
}

// exactly watches the folders and no others.
func (w *watches) exactly(dirs []string) error {
	for _, dir := range dirs {
		if err := w.add(dir); err != nil {
			return err
		}
	}
	for dir, f := range w.folders {
		if !slices.Contains(dirs, dir) {
			f.Close()
			delete(w.folders, dir)
		}
	}
	return nil
}

func (w *watches) add(dir string) error {
	if w.folders[dir] != nil {
		return nil
	}
	f, err := w.watcher.Add(dir, watch.Options{Quiet: w.quiet}, func(c watch.Change) {
		select {
		case w.changes <- c:
		default:
		}
	})
	if err == nil {
		w.folders[dir] = f
	}
	return err
}

func (w *watches) close() {
	for _, f := range w.folders {
		f.Close()
	}
}
