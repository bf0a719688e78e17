package vfs

import (
	"context"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// StatusOptions are where the status device looks.
type StatusOptions struct {
	Store         *store.Store
	Counters      func() map[string]Counters
	Conversations func(uid uint32) (*process.Store, error)
	Writeback     func(uid uint32) any // the numbers of a user's jobs; nil where they can't be read
	Daemon        func(*Status)        // fills in what is the same for every caller
}

// cacheAge is for how long what was looked up on disk serves again, unless a request
// came in between: polling the status must not keep the disk busy. What others do to
// the files is known later than that, anyway.
const cacheAge = 10 * time.Millisecond

// statusCache holds what was looked up last. The zero value holds nothing.
type statusCache struct {
	mu       sync.Mutex
	uid      uint32
	project  string
	requests int64 // that there had been
	at       time.Time
	is       Status
}

// stored fills in what a caller has on disk.
func (d *statusDevice) stored(ctx context.Context, caller memory.Caller, s *Status) {
	requests := int64(0)
	for _, c := range s.Devices {
		requests += c.OK
		for _, n := range c.Failed {
			requests += n
		}
	}
	now, c := time.Now(), &d.cache
	c.mu.Lock()
	is, fresh := c.is, c.uid == caller.UID && c.project == caller.Project && c.requests == requests && now.Sub(c.at) < cacheAge
	c.mu.Unlock()
	if !fresh {
		is = d.look(ctx, caller)
		c.mu.Lock()
		c.uid, c.project, c.requests, c.at, c.is = caller.UID, caller.Project, requests, now, is
		c.mu.Unlock()
	}
	s.Scopes, s.Conversations, s.Writeback = is.Scopes, is.Conversations, is.Writeback
}

func (d *statusDevice) look(ctx context.Context, caller memory.Caller) Status {
	s := Status{Scopes: map[memory.Scope]ScopeStatus{}, Writeback: d.Writeback(caller.UID)}
	table := d.Store.Policies(ctx, caller)
	for _, scope := range table.Scopes() {
		if id, err := memory.Resolve(caller, scope, table[scope]); err == nil && d.Store.Exists(id, table[scope]) {
			s.Scopes[scope] = d.scope(ctx, id, table[scope])
		}
	}
	if c, err := d.Conversations(caller.UID); err == nil {
		if sum, err := c.Counters(ctx); err == nil {
			s.Conversations = &sum
		}
	}
	return s
}

func (d *statusDevice) scope(ctx context.Context, id memory.ScopeID, policy memory.Policy) ScopeStatus {
	s := ScopeStatus{Limit: policy.Runes, EntryLimit: policy.Entries}
	r := d.Store.Reader(id)
	v, err := r.Load(ctx)
	var is store.Condition
	if err == nil {
		is, err = r.Condition(ctx)
	}
	if err != nil {
		s.Error = memory.ReasonOf(err)
		return s
	}
	s.Entries, s.Used, s.Remaining = len(v.Entries), v.Used, max(s.Limit-v.Used, 0)
	s.SetAside, s.ReadOnly = is.SetAside, is.ReadOnly
	return s
}
