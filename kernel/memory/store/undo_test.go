package store_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// TestUndo: the last change is taken back, or the one that is named, and that is a change
// like others; where another one rests on it, nothing is.
func TestUndo(t *testing.T) {
	f := newStore(t, 30, memory.OverflowFIFO)
	undo := func(request, message, snapshot string) store.Reply {
		t.Helper()
		r := f.do(t, project, request)
		if !strings.Contains(r.Message+r.Code, message) || f.snapshot(t, project) != snapshot {
			t.Errorf("%s: %q %q %q, left %q", request, r.Message, r.Code, r.Error, f.snapshot(t, project))
		}
		return r
	}
	undo(`{"action":"undo"}`, "not_found", "")
	one := f.do(t, project, `{"action":"add","key":"one","content":"first"}`) // 1
	undo(`{"action":"undo"}`, "undone: change 1 (add of one)", "")            // 2
	undo(`{"action":"undo"}`, "undone: change 2 (remove of one)", "first")    // 3
	f.do(t, project, `{"action":"replace","key":"one","new":"uno"}`)          // 4
	f.do(t, project, `{"action":"add","key":"two","content":"second"}`)       // 5
	undo(`{"action":"undo","key":"one"}`, "undone: change 4 (replace of one)", "first\nsecond")
	r := undo(`{"action":"undo","sequence":4}`, "conflict", "first\nsecond")
	if !strings.Contains(r.Hint, "rnixfs undo "+one.ID) || !strings.Contains(r.Error, "one has changed since change 4") {
		t.Errorf("%q %q", r.Error, r.Hint)
	}
	f.do(t, project, `{"action":"batch","ops":[{"action":"remove","key":"one"},{"action":"replace","key":"two","new":"due"},{"action":"add","key":"one","content":"another"}]}`)
	undo(`{"action":"undo"}`, "undone: change 7 (add of one, replace of two, remove of one)", "second\nfirst")
	undo(`{"action":"undo"}`, "undone: change 8", "due\nanother")
	f.do(t, project, `{"action":"add","key":"long","content":"a text that pushes them out"}`)
	undo(`{"action":"undo"}`, "undone: change 10 (add of long, evict of ", "another\ndue")
	f.do(t, project, `{"action":"remove","key":"two"}`)
	f.do(t, project, `{"action":"restore","key":"two"}`)
	undo(`{"action":"undo","sequence":12}`, "conflict", "another\ndue")
	undo(`{"action":"undo","sequence":99}`, "not_found", "another\ndue")
	undo(`{"action":"undo","sequence":0}`, "invalid", "another\ndue")
	undo(`{"action":"undo","sequence":1,"key":"two"}`, "invalid", "another\ndue")
	undo(`{"action":"undo","id":"nobody"}`, "not_found", "another\ndue")

	// What ended is nobody's change, and can't be taken back before it is restored.
	f.do(t, project, `{"action":"add","key":"brief","content":"x","ttl":"1h"}`)
	f.after(day)
	f.do(t, project, `{"action":"sweep"}`)
	undo(`{"action":"undo"}`, "conflict", "another\ndue")
}

// TestUndoClear: a change of more entries than a batch may have is taken back, too.
func TestUndoClear(t *testing.T) {
	f := newStore(t, 100_000, memory.OverflowError)
	for i := range maxBatch + 10 {
		f.do(t, project, fmt.Sprintf(`{"action":"add","content":"text %d"}`, i))
	}
	if r := f.do(t, project, `{"action":"clear","confirm":true}`); !r.OK || f.snapshot(t, project) != "" {
		t.Fatal(r.Error)
	}
	r := f.do(t, project, `{"action":"undo"}`)
	if left := strings.Count(f.snapshot(t, project), "text"); !r.OK || left != maxBatch+10 {
		t.Errorf("%s %s: %d", r.Message, r.Error, left)
	}
	if !strings.Contains(r.Message, ", 1005 more)") {
		t.Error(r.Message)
	}
}

const maxBatch = 1000

// TestLog: the last changes of a scope, the newest first.
func TestLog(t *testing.T) {
	f := newStore(t, 1000, memory.OverflowError)
	for i := range 30 {
		f.do(t, project, fmt.Sprintf(`{"action":"add","key":"k%d","content":"text %d"}`, i, i))
	}
	keys := func(request string) (s string) {
		t.Helper()
		r := f.do(t, project, request)
		if r.History == nil {
			return r.Code
		}
		for _, rec := range *r.History {
			s += rec.After.Key + " "
		}
		return s
	}
	if got := keys(`{"action":"log"}`); strings.Count(got, " ") != 20 || !strings.HasPrefix(got, "k29 k28 ") {
		t.Error(got)
	}
	if got := keys(`{"action":"log","max_results":2}`); got != "k29 k28 " {
		t.Error(got)
	}
	if got := keys(`{"action":"log","since":"2028-01-01T00:00:00Z"}`); got != "" {
		t.Error(got)
	}
	if got := keys(`{"action":"log","since":"yesterday"}`); got != "invalid" {
		t.Error(got)
	}
}

// TestSweepNow: a dry run says what a sweep does then.
func TestSweepNow(t *testing.T) {
	f := newStore(t, 1000, memory.OverflowError)
	f.categories = memory.Categories{"decision": {Lifetime: 30 * day, Then: memory.ThenArchive}}
	f.do(t, project, `{"action":"add","key":"a","content":"1","category":"decision"}`)
	f.do(t, project, `{"action":"add","key":"b","content":"2","ttl":"1d"}`)
	f.do(t, project, `{"action":"add","key":"c","content":"3"}`)
	f.after(31 * day)
	results := func(request string) (s string) {
		for _, a := range f.do(t, project, request).Results {
			s += string(a.Action) + " " + a.Key + ", "
		}
		return s
	}
	for _, request := range []string{`{"action":"sweep","dry_run":true}`, `{"action":"sweep"}`} {
		if got := results(request); got != "archive a, expire b, " {
			t.Errorf("%s: %q", request, got)
		}
	}
	if got := results(`{"action":"sweep","dry_run":true}`); got != "" {
		t.Errorf("swept already: %q", got)
	}
}
