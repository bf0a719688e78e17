package fuse

import (
	"sync"
	"sync/atomic"
)

const shards = 16

// registry gives ids to nodes and handles and finds them again. Ids count up and
// are never given twice.
type registry[T any] struct {
	last   atomic.Uint64
	shards [shards]struct {
		mu sync.Mutex
		m  map[uint64]T
	}
}

// reserve takes ids up to n out of use, for nodes whose id is fixed.
func (r *registry[T]) reserve(n uint64) { r.last.Store(n) }

func (r *registry[T]) add(v T) uint64 {
	id := r.last.Add(1)
	r.put(id, v)
	return id
}

func (r *registry[T]) put(id uint64, v T) {
	s := &r.shards[id%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.m == nil {
		s.m = map[uint64]T{}
	}
	s.m[id] = v
}

// get returns the zero T for an unknown id.
func (r *registry[T]) get(id uint64) T {
	s := &r.shards[id%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[id]
}

// take removes the id and returns what it named.
func (r *registry[T]) take(id uint64) (v T, ok bool) {
	s := &r.shards[id%shards]
	s.mu.Lock()
	defer s.mu.Unlock()
	if v, ok = s.m[id]; ok {
		delete(s.m, id)
	}
	return v, ok
}

func (r *registry[T]) len() int {
	n := 0
	for i := range r.shards {
		s := &r.shards[i]
		s.mu.Lock()
		n += len(s.m)
		s.mu.Unlock()
	}
	return n
}
