package daemon

import (
	"cmp"
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// ScopeHealth is the health of one scope's store.
type ScopeHealth struct {
	Scope  memory.Scope `json:"scope"`
	Folder string       `json:"folder"`
	Err    string       `json:"error,omitempty"` // the store could not be examined
	Mend   string       `json:"mend,omitempty"`  // what to do about that
	memory.Health
}

// Check examines the stores that the caller can reach: the project's, the
// global one and the profile's.
func (k *Kernel) Check(ctx context.Context, caller memory.Caller) []ScopeHealth {
	return k.examine(ctx, caller, memory.Checker.Check)
}

// Repair mends what can be mended in those stores without loss.
func (k *Kernel) Repair(ctx context.Context, caller memory.Caller) []ScopeHealth {
	return k.examine(ctx, caller, memory.Checker.Repair)
}

// mendStore is what to do about a store that can't be examined for whatever reason.
const mendStore = "look at that folder: it must be a folder that this user can read and write, on a disk that works"

// examine runs a check or a repair over the stores that the caller can reach.
func (k *Kernel) examine(ctx context.Context, caller memory.Caller, do func(memory.Checker, context.Context) (memory.Health, error)) []ScopeHealth {
	var out []ScopeHealth
	for _, scope := range []memory.Scope{memory.ScopeProject, memory.ScopeGlobal, memory.ScopeUser} {
		id := vfs.ScopeOf(caller, scope)
		h := ScopeHealth{Scope: scope}
		h.Folder, _ = k.Paths.Folder(id)
		p, err := k.Store.Provider(ctx, id)
		if c, ok := p.(memory.Checker); ok && err == nil {
			h.Health, err = do(c, ctx)
		}
		if err != nil {
			h.Err, h.Mend = memory.ReasonOf(err), cmp.Or(memory.HintOf(err), mendStore)
		}
		out = append(out, h)
	}
	return out
}
