package process

import (
	"context"
	"errors"
	"os"
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

// countAge is how old the sums may be where other programs write, too.
const countAge = 10 * time.Second

// Counters returns the sums. What other programs have changed may be missing for
// some seconds.
func (s *Store) Counters(ctx context.Context) (Counters, error) {
	now := s.opts.Now()
	s.counts.mu.Lock()
	known, fresh := s.counts.sum, !s.counts.taken.IsZero() && now.Sub(s.counts.taken) < countAge
	s.counts.mu.Unlock()
	if fresh {
		return known, nil
	}
	var sum Counters
	err := s.eachFolder(ctx, func(root *os.Root, folder string) error {
		sum.Projects++
		list, err := uuids(root, folder)
		for _, uuid := range list {
			if size, err := sizeAt(root, place{folder, uuid}); err == nil {
				sum.Processes++
				sum.Turns += size.Turns
				sum.Bytes += size.Bytes
			}
		}
		return errors.Join(err, ctx.Err())
	})
	if err != nil {
		return Counters{}, failure("count conversations", err)
	}
	s.counts.mu.Lock()
	defer s.counts.mu.Unlock()
	s.counts.taken, s.counts.sum = now, sum
	return sum, nil
}
