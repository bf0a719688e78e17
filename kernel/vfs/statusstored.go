package vfs

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// StatusOptions are where the status device looks.
type StatusOptions struct {
	Store         *store.Store
	Counters      func() map[string]Counters
	Conversations func(uid uint32) (*process.Store, error)
	Writeback     func(uid uint32) any         // the numbers of a user's jobs; nil where they can't be read
	Daemon        func(memory.Caller, *Status) // fills in what is the daemon's
}

// stored fills in what a caller has on disk.
func (d *statusDevice) stored(ctx context.Context, caller memory.Caller, s *Status) {
	s.Scopes, s.Writeback = map[memory.Scope]ScopeStatus{}, d.Writeback(caller.UID)
	table := d.Store.Policies(ctx, caller)
	for _, scope := range table.Scopes() {
		id, err := memory.Resolve(caller, scope, table[scope])
		switch {
		case err == nil && d.Store.Exists(id, table[scope]):
			s.Scopes[scope] = d.scope(ctx, id, table[scope])
		case memory.KindOf(err) == memory.KindDenied:
			s.Scopes[scope] = ScopeStatus{Error: memory.ReasonOf(err)}
		}
	}
	if c, err := d.Conversations(caller.UID); err == nil {
		if sum, err := c.Counters(ctx); err == nil {
			s.Conversations = &sum
		}
	}
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
