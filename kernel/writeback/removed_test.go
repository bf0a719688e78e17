package writeback_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// tell is a conversation in which the user says something, and its end.
func (e *env) tell(session string, said ...string) spool.Done {
	e.t.Helper()
	var lines []string
	for _, text := range said {
		lines = append(lines, "user: "+text)
	}
	e.talk(session, lines...)
	return e.end(session)
}

func (e *env) dropped(d spool.Done, want map[string]int) {
	e.t.Helper()
	if diff := cmp.Diff(want, d.Dropped); diff != "" {
		e.t.Error(diff)
	}
}

// TestForgetThatWithAValue: what it takes back is known by what stands in its place.
func TestForgetThatWithAValue(t *testing.T) {
	e := newEnv(t)
	e.tell("a", "Remember that the port is 8080.")
	d := e.tell("b", "Forget that, the port is 9444.")
	e.want("The port is 9444.")
	if u := e.undo(d.Job); u.Restored != 1 {
		t.Errorf("%+v", u)
	}
	e.want("The port is 8080.")
}

// TestRemovedLongAgo: more removals than are compared with do not bring back what was
// removed or replaced before them, whoever did that; a person's later word does.
func TestRemovedLongAgo(t *testing.T) {
	const removed, replaced = "Deploys of the shop need two approvals.", "Backups of the bank are kept for a year."
	e := newEnv(t)
	e.learn("a", said(removed), said(replaced))
	agent := func(req store.Request) {
		t.Helper()
		_, err := e.store.Do(t.Context(), memory.Caller{UID: uid, Trust: memory.TrustAgent}, scope(memory.ScopeProject), req)
		must(t, err)
	}
	text, other := removed, "Nothing of the bank is kept."
	agent(store.Request{Action: "remove", Old: &text})
	was := replaced
	agent(store.Request{Action: "replace", Old: &was, New: &other})
	for range 6 {
		e.fill(500)
		e.removeAll()
	}
	d := e.learn("b", said(removed), said(replaced))
	e.dropped(d, map[string]int{"removed": 2})
	e.want()
	e.learn("c", asked(removed))
	e.want(removed)
}
