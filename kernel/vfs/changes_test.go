package vfs

import (
	"fmt"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// TestChangesRing: a ring keeps the newest of its own user, for an hour, under numbers
// that grow, and says when something after a number is gone.
func TestChangesRing(t *testing.T) {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	c := NewChanges(func() time.Time { return now })
	add := func(uid uint32, key string) {
		step := memory.Step{Action: memory.ActionAdd, After: &memory.Entry{ID: key, Key: key, Revision: 1}, At: now}
		c.Changed(memory.ScopeID{Scope: memory.ScopeProject, UID: uid}, []memory.Step{step})
	}
	all := func(*event) bool { return true }
	first := now.UnixMilli() + 1
	for i := range maxChanges + 5 {
		add(1, fmt.Sprint(i))
	}
	add(2, "another's")
	list, last, gap := c.after(1, first, 2, false, all)
	if len(list) != 2 || list[0].Key != "5" || last != list[1].Sequence || !gap {
		t.Errorf("after the first: %+v, %d, gap %v", list, last, gap)
	}
	list, last, gap = c.after(1, first+4, 20000, false, all)
	if len(list) != maxChanges || last != first+maxChanges+4 || gap {
		t.Errorf("after the fifth: %d changes, last %d, gap %v", len(list), last, gap)
	}
	if list, _, _ = c.after(1, 0, 3, true, all); len(list) != 3 || list[2].Key != fmt.Sprint(maxChanges+4) {
		t.Errorf("the newest: %+v", list)
	}
	if list, _, _ = c.after(2, 0, 100, true, all); len(list) != 1 || list[0].Key != "another's" {
		t.Errorf("of the other user: %+v", list)
	}
	now = now.Add(changeAge + time.Second)
	add(1, "new")
	if list, _, gap = c.after(1, last, 100, false, all); len(list) != 1 || list[0].Key != "new" || list[0].Sequence != last+1 || gap {
		t.Errorf("after an hour: %+v, gap %v", list, gap)
	}
	if list, _, gap = c.after(2, first, 100, false, all); len(list) != 0 || gap {
		t.Errorf("after an hour, of the other user: %+v, gap %v", list, gap)
	}
	restarted := NewChanges(func() time.Time { return now })
	if _, begin, gap := restarted.after(1, last+1, 100, false, all); begin <= last+1 || !gap {
		t.Errorf("another mount begins at %d, before %d; gap %v", begin, last+1, gap)
	}
}
