package daemon

import (
	"cmp"
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// ScopeHealth is the health of one scope's store.
type ScopeHealth struct {
	Scope  memory.Scope `json:"scope"`
	Folder string       `json:"folder"`
	Err    string       `json:"error,omitempty"` // the store could not be examined
	Mend   string       `json:"mend,omitempty"`  // what to do about that
	memory.Health
}

// Check examines the stores that the caller can reach.
func (k *Kernel) Check(ctx context.Context, caller memory.Caller) []ScopeHealth {
	return k.examine(ctx, caller, store.Reader.Check)
}

// Repair mends what can be mended in those stores without loss.
func (k *Kernel) Repair(ctx context.Context, caller memory.Caller) []ScopeHealth {
	return k.examine(ctx, caller, store.Reader.Repair)
}

// mendStore is what to do about a store that can't be examined for whatever reason.
const mendStore = "look at that folder: it must be a folder that this user can read and write, on a disk that works"

// examine runs a check or a repair over the stores that the caller can reach.
func (k *Kernel) examine(ctx context.Context, caller memory.Caller, do func(store.Reader, context.Context) (memory.Health, error)) []ScopeHealth {
	var out []ScopeHealth
	table := k.Store.Policies(ctx, caller)
	for _, scope := range table.Scopes() {
		id, err := memory.Resolve(caller, scope, table[scope])
		if err != nil || table[scope].Keep == memory.KeepRAM || !k.Store.Exists(id, table[scope]) {
			continue
		}
		h := ScopeHealth{Scope: scope, Folder: k.folder(id, table[scope])}
		if h.Health, err = do(k.Store.Reader(id), ctx); err != nil {
			h.Err, h.Mend = memory.ReasonOf(err), cmp.Or(memory.HintOf(err), mendStore)
		}
		out = append(out, h)
	}
	return out
}
