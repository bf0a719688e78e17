package config

import (
	"context"
	"sync"
	"time"
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
	every time.Duration // between two looks at the files

	mu      sync.Mutex
	current *Loaded
	failure string // that Failed was last told, or ""
	rules   string // the file of rules that the files named last, in force or not
}

// NewReloader returns a reloader with a configuration in force.
func NewReloader(l *Loaded, hooks Hooks) *Reloader {
	r := &Reloader{current: l, hooks: hooks, every: time.Second, rules: l.Config.Scanner.Rules}
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

// Run looks at the files every second, and reloads when they have changed, until ctx is
// done. What changed between Load and Run is seen.
func (r *Reloader) Run(ctx context.Context) {
	for last := ""; ; {
		if now := r.stamps(); now != last { // before they are read: what changes then is seen next
			last = now
			r.Reload(ctx)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(r.every):
		}
	}
}

// stamps are those of the files, and of the file of rules.
func (r *Reloader) stamps() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return Stamps(append(r.current.Sources.Paths(), r.rules)...)
}
