package process

import (
	"sync"
	"time"
)

// Counters are the sums over a store.
type Counters struct {
	Projects  int   `json:"projects"`
	Processes int   `json:"processes"`
	Turns     int   `json:"turns"`
	Bytes     int64 `json:"bytes"` // of the turns
}

// counts are the sums and when they were last taken; in between, this store's own
// changes are added.
type counts struct {
	mu    sync.Mutex
	taken time.Time // zero: never, or they no longer hold
	sum   Counters
}

func (c *counts) add(turns int, bytes int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.sum.Turns += turns
	c.sum.Bytes += bytes
}

// forget has the sums taken anew.
func (c *counts) forget() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.taken = time.Time{}
}
