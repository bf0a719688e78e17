package vfs

import (
	"maps"
	"slices"
	"sync"
	"time"
)

// Counters count a device's requests since the start.
type Counters struct {
	OK      int64            `json:"ok"`
	Failed  map[string]int64 `json:"failed,omitempty"` // by code
	Seconds Histogram        `json:"-"`                // of what the device ran
}

// buckets are the upper bounds of a histogram's buckets, in seconds: a commit is below a
// millisecond, a search some tens, and a request is late after some seconds.
var buckets = [...]float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}

// Histogram counts durations by bucket.
type Histogram struct {
	Counts [len(buckets) + 1]uint64 // the last is of all above
	Sum    float64                  // in seconds
}

func (h *Histogram) observe(took time.Duration) {
	i, _ := slices.BinarySearch(buckets[:], took.Seconds())
	h.Counts[i]++
	h.Sum += took.Seconds()
}

type counters struct {
	mu sync.Mutex
	by map[string]*Counters // guarded by mu
}

// count counts requests that ran together by their replies, unless their askers had
// another one before. A negative time is of one that still runs.
func (c *counters) count(r *Request, device string, took time.Duration, all ...Result) {
	told := r.told.Swap(true)
	c.mu.Lock()
	defer c.mu.Unlock()
	n := c.by[device]
	if n == nil {
		n = &Counters{Failed: map[string]int64{}}
		c.by[device] = n
	}
	for _, res := range all {
		if took >= 0 {
			n.Seconds.observe(took / time.Duration(len(all)))
		}
		switch {
		case told:
		case res.OK:
			n.OK++
		default:
			n.Failed[res.Kind.Code()]++
		}
	}
}

// all returns a copy of the counts.
func (c *counters) all() map[string]Counters {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := make(map[string]Counters, len(c.by))
	for name, n := range c.by {
		out[name] = Counters{OK: n.OK, Failed: maps.Clone(n.Failed), Seconds: n.Seconds}
	}
	return out
}
