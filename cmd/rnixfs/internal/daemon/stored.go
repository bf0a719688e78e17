package daemon

import (
	"context"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// stored is the part of a status that is looked up on disk.
type stored struct {
	scopes        map[memory.Scope]ScopeStatus
	conversations *process.Counters
	writeback     *spool.Stats
}

// storedAge is for how long what was looked up serves again, unless a request came
// in between: who polls the status must not keep the disk busy. What others do to
// the files is known later than that, anyway.
const storedAge = 10 * time.Millisecond

// lately remembers what was looked up last. The zero value remembers nothing.
type lately struct {
	mu      sync.Mutex
	uid     uint32
	project string
	after   int64 // requests that there had been
	at      time.Time
	is      stored
}

// stored looks up what a caller has on disk; requests is how many there were.
func (k *Kernel) stored(ctx context.Context, caller memory.Caller, requests int64) stored {
	now, l := time.Now(), &k.lately
	l.mu.Lock()
	if l.uid == caller.UID && l.project == caller.Project && l.after == requests && !l.at.IsZero() && now.Sub(l.at) < storedAge {
		defer l.mu.Unlock()
		return l.is
	}
	l.mu.Unlock()

	s := stored{scopes: map[memory.Scope]ScopeStatus{}, writeback: k.WritebackStats(caller.UID)}
	for _, scope := range []memory.Scope{memory.ScopeProject, memory.ScopeGlobal, memory.ScopeUser} {
		s.scopes[scope] = k.scopeStatus(ctx, vfs.ScopeOf(caller, scope))
	}
	if c, err := k.Conversations(caller.UID); err == nil {
		if sum, err := c.Counters(ctx); err == nil {
			s.conversations = &sum
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.uid, l.project, l.after, l.at, l.is = caller.UID, caller.Project, requests, now, s
	return s
}

func (k *Kernel) scopeStatus(ctx context.Context, id memory.ScopeID) ScopeStatus {
	s := ScopeStatus{Limit: k.Store.Limit(id.Scope).Runes}
	p, err := k.Store.Provider(ctx, id)
	var v memory.View
	if err == nil {
		v, err = p.Load(ctx)
	}
	if err != nil {
		s.Error = memory.ReasonOf(err)
		return s
	}
	s.Entries, s.Used, s.Remaining = len(v.Entries), v.Used, max(s.Limit-v.Used, 0)
	if f, ok := p.(interface{ SetAside() int }); ok {
		s.SetAside = f.SetAside()
	}
	if f, ok := p.(interface{ Cause() string }); ok {
		s.ReadOnly = f.Cause()
	}
	return s
}
