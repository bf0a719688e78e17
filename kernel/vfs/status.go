package vfs

import (
	"context"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// StatusFunc makes the state that the status device shows to a caller: a value
// that encodes to a JSON object.
type StatusFunc func(ctx context.Context, caller memory.Caller) any

// statusDevice shows health, counters and limits. It takes no requests.
type statusDevice struct{ state StatusFunc }

// NewStatus returns the status device.
func NewStatus(state StatusFunc) Device { return &statusDevice{state} }

func (d *statusDevice) Name() string   { return "status" }
func (d *statusDevice) Writable() bool { return false }

func (d *statusDevice) Exec(context.Context, memory.Caller, []byte) Result {
	return Failure(memory.Errorf(memory.KindReadOnly, "status", "status takes no requests; read it"), nil)
}

func (d *statusDevice) Read(ctx context.Context, caller memory.Caller) []byte {
	return encode(d.state(ctx, caller))
}

func (d *statusDevice) Space(context.Context, memory.Caller) (total, free int, ok bool) {
	return 0, 0, false
}
