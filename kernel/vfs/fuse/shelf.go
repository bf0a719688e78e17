package fuse

import (
	"slices"
)

// shelf is the replies of one user, oldest first, by which the board's memory is
// bounded. Replies that were superseded stay in the queue without their bytes
// until they are half of it.
type shelf struct {
	queue []*reply
	dead  int
	bytes int64
}

// lost gives back what a superseded reply took.
func (s *shelf) lost(r *reply) {
	s.bytes -= r.cost()
	r.body, r.chain = nil, nil
	if s.dead++; s.dead > 64 && s.dead > len(s.queue)/2 {
		s.queue = slices.DeleteFunc(s.queue, func(r *reply) bool { return r.found == 0 })
		s.dead = 0
	}
}

// shelve queues a reply, and lets go of the user's oldest: those too old to be
// read, and those over the limit. The caller holds b.mu.
func (b *board) shelve(r *reply) {
	s := b.users[r.at.uid]
	if s == nil {
		s = &shelf{}
		b.users[r.at.uid] = s
	}
	s.queue = append(s.queue, r)
	s.bytes += r.cost()
	for len(s.queue) > 1 {
		first := s.queue[0]
		if first.found > 0 && r.stored.Sub(first.stored) <= replyAge && s.bytes <= b.limit {
			return
		}
		s.queue[0] = nil
		s.queue = s.queue[1:]
		if first.found == 0 {
			s.dead--
			continue
		}
		s.bytes -= first.cost()
		b.remove(first)
	}
}

// remove takes a reply out of the index. The caller holds b.mu.
func (b *board) remove(r *reply) {
	p := b.places[r.at]
	r.found = 0
	if p.session == r {
		p.session = nil
	}
	for _, l := range r.chain {
		a := ancestor{l.PID, l.ID}
		list, ok := p.below[a]
		if !ok {
			continue
		}
		if list = slices.DeleteFunc(list, func(by branch) bool { return by.reply == r }); len(list) == 0 {
			delete(p.below, a)
		} else {
			p.below[a] = list
		}
	}
	b.gone(p, r)
}
