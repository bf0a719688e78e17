package vfs

import (
	"context"
	"maps"
	"sync"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Counters count a device's requests since the start.
type Counters struct {
	OK     int64            `json:"ok"`
	Failed map[string]int64 `json:"failed,omitempty"` // by code
}

type counters struct {
	mu sync.Mutex
	by map[string]*Counters // guarded by mu
}

func (c *counters) count(device string, res Result) {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.by[device]
	if n == nil {
		n = &Counters{Failed: map[string]int64{}}
		c.by[device] = n
	}
	if res.OK {
		n.OK++
	} else {
		n.Failed[res.Kind.Code()]++
	}
}

// Counters returns the counts of each device that has had a request.
func (t *Table) Counters() map[string]Counters {
	t.counters.mu.Lock()
	defer t.counters.mu.Unlock()
	out := make(map[string]Counters, len(t.counters.by))
	for name, c := range t.counters.by {
		out[name] = Counters{OK: c.OK, Failed: maps.Clone(c.Failed)}
	}
	return out
}

// refuser is a device whose replies have more than every failure has.
type refuser interface {
	refuse(ctx context.Context, caller memory.Caller, err error) Result
}

// Refuse is the result of what never became a request of the device: bytes that
// are no object, one that is too big or cut off. It is counted like one.
func (t *Table) Refuse(ctx context.Context, d Device, caller memory.Caller, err error) (res Result) {
	if r, ok := d.(refuser); ok {
		res = r.refuse(ctx, caller, err)
	} else {
		res = Failure(err, nil)
	}
	t.counters.count(d.Name(), res)
	return res
}
