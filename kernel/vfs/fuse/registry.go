package fuse

import (
	"maps"
	"slices"
	"sync"
)

// registry gives ids to nodes and handles and finds them again. Ids count up and
// are never given twice.
type registry[T any] struct {
	mu   sync.RWMutex
	last uint64
	m    map[uint64]T
}

func (r *registry[T]) add(v T) uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.m == nil {
		r.m = map[uint64]T{}
	}
	r.last++
	r.m[r.last] = v
	return r.last
}

// get returns the zero T for an unknown id.
func (r *registry[T]) get(id uint64) T {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return r.m[id]
}

// all returns what there is now.
func (r *registry[T]) all() []T {
	r.mu.RLock()
	defer r.mu.RUnlock()
	return slices.Collect(maps.Values(r.m))
}

// take removes the id and returns what it named.
func (r *registry[T]) take(id uint64) (v T, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	v, ok = r.m[id]
	delete(r.m, id)
	return v, ok
}
