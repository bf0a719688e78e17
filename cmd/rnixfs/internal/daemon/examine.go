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

// mendStore is what to do about a store that can't be examined for whatever reason.
const mendStore = "look at that folder: it must be a folder that this user can read and write, on a disk that works"

// Examine runs a check or a repair over the stores that this process can reach.
func (k *Kernel) Examine(ctx context.Context, do func(store.Reader, context.Context) (memory.Health, error)) []ScopeHealth {
	var out []ScopeHealth
	caller := Self()
	table := k.Store.Policies(ctx, caller)
	for _, scope := range table.Scopes() {
		id, err := memory.Resolve(caller, scope, table[scope])
		if memory.KindOf(err) == memory.KindDenied {
			out = append(out, ScopeHealth{Scope: scope, Err: memory.ReasonOf(err), Mend: memory.HintOf(err)})
		}
		if err != nil || table[scope].Keep == memory.KeepRAM || !k.Store.Exists(id, table[scope]) {
			continue
		}
		h := ScopeHealth{Scope: scope, Folder: k.shownFolder(id, table[scope])}
		if h.Health, err = do(k.Store.Reader(id), ctx); err != nil {
			h.Err, h.Mend = memory.ReasonOf(err), cmp.Or(memory.HintOf(err), mendStore)
		}
		out = append(out, h)
	}
	return out
}
