package store_test

import (
	"fmt"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

const day = 24 * time.Hour

// after moves the clock on.
func (f *fixture) after(d time.Duration) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.clock = f.clock.Add(d)
}

// TestLifetimes: what ends, when, and what becomes of it is said by the rows that hold
// when it is asked; what the entry says itself comes first.
func TestLifetimes(t *testing.T) {
	session := memory.ScopeID{Scope: memory.ScopeSession, Owner: "s"}
	f := newStore(t, 1000, memory.OverflowError)
	f.row(memory.ScopeProject, func(p *memory.Policy) { p.Lifetime, p.Then = 90*day, memory.ThenArchive })
	f.categories = memory.Categories{
		"feedback": {Lifetime: memory.Forever},
		"decision": {Lifetime: 30 * day, Then: memory.ThenArchive},
		"state":    {Lifetime: time.Hour, Then: memory.ThenRemove},
	}
	add := func(id memory.ScopeID, key, more string) {
		t.Helper()
		if r := f.do(t, id, fmt.Sprintf(`{"action":"add","key":%q,"content":"about %s"%s}`, key, key, more)); !r.OK {
			t.Fatal(r.Error)
		}
	}
	shown := func(id memory.ScopeID, want string) {
		t.Helper()
		if got := keysOf(f.do(t, id, `{"action":"list"}`)); got != want {
			t.Errorf("shown %q, want %q", got, want)
		}
	}
	add(session, "a", "")
	add(project, "note", "")
	add(project, "praise", `,"category":"Feedback"`)
	add(project, "choice", `,"category":"decision"`)
	add(project, "health", `,"category":"state"`)
	add(project, "short", `,"ttl":"1d"`)
	add(project, "long", `,"category":"decision","expires":"2027-12-31T00:00:00Z"`)
	add(project, "always", `,"category":"state","expires":"never"`)
	f.after(2 * time.Hour)
	shown(project, "note praise choice short long always")
	if got := keysOf(f.do(t, project, `{"action":"list","sort":"expires"}`)); got != "short choice note long praise always" {
		t.Errorf("by their ends: %q", got)
	}
	f.after(13*day - 2*time.Hour)
	shown(session, "a")
	shown(project, "note praise choice long always")
	f.after(2 * day)
	shown(session, "")
	f.do(t, project, `{"action":"replace","key":"choice","new":"about choice again"}`) // counts anew
	f.after(29 * day)
	shown(project, "note praise choice long always")
	f.after(2 * day)
	shown(project, "note praise long always")
	f.after(45 * day) // 91 days
	shown(project, "praise long always")
	f.after(310 * day)
	shown(project, "praise always")

	// Rows that change reach what is there.
	f.categories["feedback"] = memory.Category{Lifetime: 30 * day}
	shown(project, "always")
	delete(f.categories, "feedback")
	f.row(memory.ScopeProject, func(p *memory.Policy) { p.Lifetime = 500 * day })
	shown(project, "note praise always")
}

// TestArchive: what has ended by a row with then: archive is found by its name and by a
// search, counts for nothing, and can be brought back.
func TestArchive(t *testing.T) {
	f := newStore(t, 100, memory.OverflowFIFO)
	f.row(memory.ScopeProject, func(p *memory.Policy) { p.Entries = 2 })
	f.categories = memory.Categories{"decision": {Lifetime: 30 * day, Then: memory.ThenArchive}}
	f.do(t, project, `{"action":"add","key":"tabs","content":"We use tabs.","category":"decision"}`)
	f.after(31 * day)
	if err := f.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	r := f.do(t, project, `{"action":"get","key":"tabs"}`)
	if r.Entry == nil || !r.Entry.Archived || r.Used != 0 || f.snapshot(t, project) != "" {
		t.Fatalf("%+v, used %d", r.Entry, r.Used)
	}
	if got := keysOf(f.do(t, project, `{"action":"list","where":{"archived":true}}`)); got != "tabs" {
		t.Errorf("archived %q", got)
	}
	for i := range 3 { // nothing pushes it out, and it pushes nothing out
		r = f.do(t, project, fmt.Sprintf(`{"action":"add","key":"n%d","content":"note %d"}`, i, i))
	}
	if got := keysOf(f.do(t, project, `{"action":"list"}`)); got != "n1 n2" || len(r.Evicted) != 1 {
		t.Errorf("shown %q, evicted %q", got, r.Evicted)
	}
	if r := f.do(t, project, `{"action":"add","key":"tabs","content":"again"}`); r.Code != "exists" {
		t.Errorf("its key: %+v", r)
	}
	f.row(memory.ScopeProject, func(p *memory.Policy) { p.Entries = 0 })
	if r := f.do(t, project, `{"action":"restore","key":"tabs"}`); !r.OK || r.Used != len("note 1note 2We use tabs.") {
		t.Fatalf("%+v", r)
	}
	if got := f.snapshot(t, project); got != "We use tabs.\nnote 1\nnote 2" {
		t.Errorf("restored: %q", got)
	}
	f.after(31 * day)
	f.do(t, project, `{"action":"add","content":"more"}`) // a change archives, too
	r = f.do(t, project, `{"action":"history","key":"tabs"}`)
	var actions []memory.Action
	for _, rec := range *r.History {
		actions = append(actions, rec.Action)
	}
	if fmt.Sprint(actions) != "[add archive restore archive]" {
		t.Errorf("%v", actions)
	}
	if r := f.do(t, project, `{"action":"replace","key":"tabs","new":"We use spaces."}`); !r.OK || r.Used != len("note 1note 2moreWe use spaces.") {
		t.Errorf("%+v", r)
	}
	if r := f.do(t, project, `{"action":"remove","old":"We use spaces."}`); !r.OK {
		t.Errorf("%+v", r)
	}
}
