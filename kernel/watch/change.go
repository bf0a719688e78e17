package watch

import (
	"maps"
	"slices"
	"time"
)

const (
	patience = 10   // how many quiet times a steady stream may last untold
	maxPaths = 4096 // more changed paths than this are told as a Rescan
)

// Change is what happened in a folder since the last one.
type Change struct {
	// Paths are the files and subfolders that something happened to, sorted, each
	// once, under the folder's name as Add got it.
	Paths []string
	// Rescan says that Paths may not be all: look at everything.
	Rescan bool
	// Err is a failure of the watch itself. It goes on as well as it can.
	Err error
}

// pending is what happened and is not told yet.
type pending struct {
	paths  map[string]bool
	rescan bool
	err    error
	since  time.Time // of the first event; zero when there is none
	last   time.Time // of the last
}

func (p *pending) add(path string) {
	if p.paths == nil {
		p.paths = map[string]bool{}
	}
	p.rescan = p.rescan || len(p.paths) >= maxPaths
	if !p.rescan {
		p.paths[path] = true
	}
}

// happened notes the time of an event and reports whether it is the first.
func (p *pending) happened(now time.Time) (first bool) {
	first = p.since.IsZero()
	if first {
		p.since = now
	}
	p.last = now
	return first
}

// wait is how long it still takes until it is time to tell.
func (p *pending) wait(now time.Time, quiet time.Duration) time.Duration {
	return min(p.last.Add(quiet).Sub(now), p.since.Add(patience*quiet).Sub(now))
}

func (p *pending) take() Change {
	c := Change{Paths: slices.Sorted(maps.Keys(p.paths)), Rescan: p.rescan, Err: p.err}
	*p = pending{}
	return c
}
