package vfs

import (
	"cmp"
	"sync"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// What is kept of the changes of one user's scopes.
const (
	maxChanges = 10000
	changeAge  = time.Hour
)

// Changes keeps the newest changes of each user's scopes, in RAM: that they happened,
// never their texts. One lock guards it.
type Changes struct {
	now func() time.Time

	mu sync.Mutex
	by map[uint32]*changeRing
}

// changeRing is the changes of one user's scopes, oldest first.
type changeRing struct {
	list []event
	last int64 // sequence of the newest change
	lost int64 // of the newest that is not kept any more
}

// event is one change as it is shown.
type event struct {
	Sequence int64         `json:"sequence"`
	Time     time.Time     `json:"time"`
	Scope    memory.Scope  `json:"scope"`
	Action   memory.Action `json:"action"`
	ID       string        `json:"id"`
	Key      string        `json:"key"`
	Category string        `json:"category,omitempty"`
	Revision int64         `json:"revision,omitempty"` // not of an entry that is gone
	By       string        `json:"by"`

	of memory.ScopeID
}

// NewChanges returns a ring of changes that nothing is in yet.
func NewChanges(now func() time.Time) *Changes {
	return &Changes{now: now, by: map[uint32]*changeRing{}}
}

// ring returns a user's ring without what is too old or too much. Sequence numbers go
// on from the time in milliseconds at which it was made: they grow over mounts, too, for
// no mount makes a change each millisecond. Changes.mu is held.
func (c *Changes) ring(uid uint32) *changeRing {
	r := c.by[uid]
	if r == nil {
		start := c.now().UnixMilli()
		r = &changeRing{last: start, lost: start}
		c.by[uid] = r
	}
	old, n := c.now().Add(-changeAge), max(len(r.list)-maxChanges, 0)
	for n < len(r.list) && r.list[n].Time.Before(old) {
		n++
	}
	if n > 0 {
		r.lost = r.list[n-1].Sequence
		r.list = r.list[n:] // append copies what is left, sometimes
	}
	return r
}

// Changed takes in the steps of a change of a scope.
func (c *Changes) Changed(id memory.ScopeID, steps []memory.Step) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.ring(id.UID)
	for _, s := range steps {
		r.last++
		e := cmp.Or(s.After, s.Before)
		made := event{
			Sequence: r.last, Time: s.At, Scope: id.Scope, Action: s.Action, ID: e.ID, Key: e.Key,
			Category: e.Category, By: cmp.Or(string(s.By.Trust), s.By.Road), of: id,
		}
		if s.After != nil {
			made.Revision = e.Revision
		}
		r.list = append(r.list, made)
	}
}

// after returns a user's changes after a sequence number that pass a filter, oldest
// first: at most so many, the first of them, or with newest the last. last is the number
// of the last change that was looked at; gap reports that some after the given one are
// not kept any more.
func (c *Changes) after(uid uint32, number int64, most int, newest bool, pass func(*event) bool) (out []event, last int64, gap bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.ring(uid)
	out, last = []event{}, r.last
	for i := range r.list {
		e := &r.list[i]
		if e.Sequence <= number || !pass(e) {
			continue
		}
		if len(out) == most && !newest {
			last = out[most-1].Sequence
			break
		}
		out = append(out, *e)
	}
	return out[max(len(out)-most, 0):], last, number < r.lost
}
