package vfs

import (
	"maps"
	"sync"
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

// all returns a copy of the counts.
func (c *counters) all() map[string]Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]Counters, len(c.by))
	for name, n := range c.by {
		out[name] = Counters{OK: n.OK, Failed: maps.Clone(n.Failed)}
	}
	return out
}
