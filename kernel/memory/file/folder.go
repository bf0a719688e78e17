package file

import (
	"math"
	"sync/atomic"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// byHand is the actor of edits: a person's, or a program's.
var byHand = memory.Source{Trust: memory.TrustEdit, Road: "edit"}

// asFound is the actor of what stands in a folder of which no journal of this user's
// tells: it came with a repository, or the journal was lost. What a file says of its
// source is a claim.
var asFound = memory.Source{Trust: memory.TrustImported, Road: "found"}

// openFolder is a folder that was opened: its files, its logs and the state that they make. The
// token of the Provider and the lock guard all of it but what is published.
type openFolder struct {
	opts  Options
	dir   *dir
	logs  *logs
	aside *quarantine

	state   *memory.State
	catalog *catalog

	published atomic.Pointer[memory.View] // what Load returns: it is durable

	opening bool // the first state is being made: nobody is told of changes
	unknown bool // no journal of this user's tells of the files
	anew    bool // the journal was begun anew: it does not know all the files
}

// forget drops what was read of the folder.
func (f *openFolder) forget() {
	f.state = memory.NewState(nil, 0)
	f.catalog = newCatalog(f.dir)
	f.logs.dirty = map[string]int64{}
}

// publish makes the state what Load returns.
func (f *openFolder) publish() {
	v := f.state.View()
	f.published.Store(&v)
}

// announce publishes changes and tells the observers.
func (f *openFolder) announce(changes ...[]memory.Step) {
	if f.opening {
		return
	}
	f.publish()
	if changed := f.opts.Hooks.Changed; changed != nil {
		for _, steps := range changes {
			changed(steps)
		}
	}
}

// limit is what edits by hand are measured by.
func (f *openFolder) limit() memory.Limit {
	if f.opts.Hooks.Limit == nil {
		return memory.Limit{Runes: math.MaxInt, Overflow: memory.OverflowError}
	}
	return f.opts.Hooks.Limit()
}

// spare keeps entries as they are for now: those whose files can't be read, and more.
func (f *openFolder) spare(more func(id string) bool) func(id string) bool {
	return func(id string) bool {
		_, blocked := f.catalog.blocked[f.catalog.names[id]]
		return blocked || more != nil && more(id)
	}
}

// author is the actor of what is in the files now.
func (f *openFolder) author() memory.Source {
	if f.unknown && f.opts.Within != "" {
		return asFound
	}
	return byHand
}

// alive reports whether an entry has the id.
func (f *openFolder) alive(id string) bool { return id != "" && f.state.ByID(id) != nil }
