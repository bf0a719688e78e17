package process

import (
	"context"
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
	taken time.Time // zero: never, or they no longer hold
	sum   Counters
}

// countAge is how old the sums may be where other programs write, too.
const countAge = 10 * time.Second

// Counters returns the sums. What other programs have changed may be missing for
// some seconds.
func (s *Store) Counters(ctx context.Context) (Counters, error) {
	now := s.opts.Now()
	s.mu.Lock()
	c := s.count
	s.mu.Unlock()
	if !c.taken.IsZero() && now.Sub(c.taken) < countAge {
		return c.sum, nil
	}
	var sum Counters
	err := s.eachFolder(ctx, func(at dir, _ string) error {
		sum.Projects++
		own, uuids, err := processFolders(at)
		if err != nil {
			return err
		}
		defer own.close()
		for _, uuid := range uuids {
			if size, err := sizeAt(own, uuid); err == nil {
				sum.Processes++
				sum.Turns += size.Turns
				sum.Bytes += size.Bytes
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return Counters{}, failure("count conversations", err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count = counts{now, sum}
	return sum, nil
}

func (s *Store) counted(turns int, bytes int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.sum.Turns += turns
	s.count.sum.Bytes += bytes
}

// forgetCount has the sums taken anew.
func (s *Store) forgetCount() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.count.taken = time.Time{}
}
