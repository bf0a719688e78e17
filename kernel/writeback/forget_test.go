package writeback_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
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

const (
	gateway = "The gateway listens on port 8080."
	backups = "The backups are kept on host kiln."
)

func TestForgottenInALaterConversation(t *testing.T) {
	for said, left := range map[string][]string{
		"Forget what I said about the port 8080.":                    {backups},
		"Please forget that the gateway listens on port 8080.":       {backups},
		"You can forget what I told you about the backups on kiln.":  {gateway},
		"It's no longer true that the gateway listens on port 8080.": {backups},
		"Forget what I said about the port 8081.":                    {gateway, backups},
		"Forget what I said about the gateway.":                      {gateway, backups}, // one common word
		"Forget what I said about the gateway's certificate.":        {gateway, backups},
		"Forget that the proxy listens on port 8080.":                {gateway, backups},
		"Forget that the gateway never listens on port 8080.":        {gateway, backups},
		"The gateway no longer listens on port 8080.":                {gateway, backups}, // perhaps it is broken
		"I forgot that the gateway listens on port 8080.":            {gateway, backups},
		"Forget it.":  {gateway, backups},
		"Never mind.": {gateway, backups},
		"Forget what I said about the port 8080 for now.":                {gateway, backups},
		"> Forget what I said about the port 8080.":                      {gateway, backups},
		"Forget what I said about the port 8080, the port is 9444.":      {backups, "The port is 9444."},
		"Forget that the gateway listens on port 8080. Always use tabs.": {backups, "Always use tabs."},
	} {
		t.Run(said, func(t *testing.T) {
			e := newEnv(t)
			e.tell("a", "Remember that the gateway listens on port 8080.", "Remember that the backups are kept on host kiln.")
			e.tell("b", said)
			e.want(left...)
			// The old conversation, whole again, does not bring it back.
			must(t, e.queue.Forget(process.ID(uid, "test", "a")))
			e.end("a")
			e.want(left...)
		})
	}
}

func TestNoLongerHolds(t *testing.T) {
	for _, tc := range []struct{ was, said, left string }{
		{"Remember that we use Redis for sessions.", "We no longer use Redis for sessions.", ""},
		{"Always store the sessions in Redis instead of Postgres.", "We don't use Redis for sessions any more.", ""},
		{"Remember to use Valkey instead of Redis for sessions in this repo.", "We no longer use Redis for sessions.", "Use Valkey instead of Redis for sessions in this repo."},
		{"Remember that we moved from Redis to Valkey for sessions.", "We no longer use Redis for sessions.", "We moved from Redis to Valkey for sessions."},
		{"Remember that we never use Redis for sessions.", "We no longer use Redis for sessions.", "We never use Redis for sessions."},
		{"Remember that we use pnpm to install the packages.", "stop using pnpm here", ""},
	} {
		e := newEnv(t)
		e.tell("a", tc.was)
		if len(e.texts()) != 1 {
			t.Errorf("%q: %q", tc.was, e.texts())
		}
		e.tell("b", tc.said)
		var want []string
		if tc.left != "" {
			want = []string{tc.left}
		}
		if diff := cmp.Diff(want, e.texts()); diff != "" {
			t.Errorf("%q, %q: %s", tc.was, tc.said, diff)
		}
	}
	// What nobody asked for counts in a conversation that is worth learning from.
	e := newEnv(t)
	e.tell("a", "Remember that we use Redis for sessions.")
	e.set.TriggerThreshold = 0
	p := e.talk("b", "user: We no longer use Redis for sessions.")
	e.set.TriggerThreshold = 3
	e.finish(spool.Job{Process: p.UUID, UID: uid})
	e.want("We use Redis for sessions.")
	e.set.TriggerThreshold = 0
	e.finish(spool.Job{Process: p.UUID, UID: uid})
	e.want()
}

func TestForgottenInTheProfile(t *testing.T) {
	e := newEnv(t)
	e.tell("a", "Remember that I live in Lyon.", "Remember in all my projects that commits are signed.")
	e.tell("b", "Please forget that I live in Lyon.", "Forget that commits are signed.")
	for _, target := range []memory.Scope{memory.ScopeProject, memory.ScopeUser, memory.ScopeGlobal} {
		if list := e.entries(target); len(list) > 0 {
			t.Errorf("%s: %q", target, list[0].Content)
		}
	}
}

func TestWhatIsNotOursIsNotForgotten(t *testing.T) {
	e := newEnv(t)
	e.add(gateway)
	d := e.tell("b", "Forget what I said about the port 8080.")
	e.want(gateway)
	e.dropped(d, map[string]int{"not_ours": 1})
	// An extracted one that was pinned stays, too.
	e.tell("c", "Remember that the backups are kept on host kiln.")
	yes := true
	e.write(store.Request{Action: "replace", ID: e.entries(memory.ScopeProject)[1].ID, Values: store.Values{Pinned: &yes}})
	e.dropped(e.tell("d", "Forget that the backups are kept on host kiln."), map[string]int{"not_ours": 1})
	e.want(gateway, backups)
	// The user of a conversation that another began is an agent.
	e = newEnv(t)
	a := e.talk("a", "user: Remember that the gateway listens on port 8080.")
	e.end("a")
	_, err := e.talks.Begin(t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: "sub", Parent: a.UUID, Start: e.now})
	must(t, err)
	e.tell("sub", "Forget what I said about the port 8080.")
	e.want(gateway)
}

func TestOfSeveralTheClearOnesAreForgotten(t *testing.T) {
	const wiki = "The wiki is reached through port 8080."
	e := newEnv(t)
	e.tell("a", "Remember that the gateway listens on port 8080.", "Remember that the wiki is reached through port 8080.")
	d := e.tell("b", "Forget what I said about the port 8080.")
	e.want(gateway, wiki)
	e.dropped(d, map[string]int{"ambiguous": 1})
	e.tell("c", "Forget that the gateway listens on port 8080.")
	e.want(wiki)
	// Of those that have all words, the one that has no others.
	e = newEnv(t)
	e.tell("a", "Remember that we use Redis for sessions.", "Remember that the Redis of the sessions runs on host kiln.")
	long := "The Redis of the sessions runs on host kiln."
	d = e.tell("b", "Forget that we use Redis for sessions.")
	e.want(long)
	// Nor does the other one go when that is done again.
	must(t, e.queue.Forget(d.Processes[0]))
	e.end("b")
	e.want(long)
	if u := e.undo(d.Job); u.Restored != 1 {
		t.Errorf("%+v", u)
	}
	must(t, e.queue.Forget(d.Processes[0]))
	e.end("b")
	e.want(long, "We use Redis for sessions.")
}

func TestForgettingIsUndone(t *testing.T) {
	e := newEnv(t)
	e.tell("a", "Remember that the gateway listens on port 8080.")
	d := e.tell("b", "Forget what I said about the port 8080.", "Remember that the backups are kept on host kiln.")
	e.want(backups)
	x := d.Entries[0]
	if len(d.Entries) != 2 || x.Action != memory.ActionRemove || x.Before != 1 || x.Scope != memory.ScopeProject {
		t.Errorf("%+v", d.Entries)
	}
	if s, err := e.queue.Stats(); err != nil || s.Entries != 2 {
		t.Errorf("%+v, %v", s, err)
	}
	if diff := cmp.Diff(memory.Source{Trust: memory.TrustExtracted, Road: "writeback", Process: d.Processes[0], Job: d.Job}, e.remover(), ignoreTurns); diff != "" {
		t.Error(diff)
	}
	u := e.undo(d.Job)
	if u.Restored != 1 || u.Removed != 1 || u.Left != 0 {
		t.Errorf("%+v", u)
	}
	e.want(gateway)
	if u := e.undo(d.Job); u.Restored+u.Removed != 0 {
		t.Errorf("again: %+v", u)
	}
	e.want(gateway)
	// The same conversation does not take it back again; what the person removes
	// then stays removed.
	must(t, e.queue.Forget(d.Processes[0]))
	e.end("b")
	e.want(gateway)
	e.write(store.Request{Action: "remove", ID: x.ID})
	if u := e.undo(d.Job); u.Restored != 0 {
		t.Errorf("removed since: %+v", u)
	}
	e.want()
	// What somebody wrote again is not there twice.
	e = newEnv(t)
	e.tell("a", "Remember that the gateway listens on port 8080.")
	d = e.tell("b", "Forget what I said about the port 8080.")
	e.add(gateway)
	if u := e.undo(d.Job); u.Left != 1 || u.Restored != 0 {
		t.Errorf("%+v", u)
	}
	e.want(gateway)
}

var ignoreTurns = cmp.FilterPath(func(p cmp.Path) bool { return p.String() == "Turns" || p.String() == "UID" }, cmp.Ignore())

// remover is who removed a text of the project last.
func (e *env) remover() memory.Source {
	e.t.Helper()
	p := e.store.Reader(scope(memory.ScopeProject))
	list, err := p.Removed(e.t.Context(), 1)
	must(e.t, err)
	return list[0].By
}

func TestForgottenAndSaidAnew(t *testing.T) {
	e := newEnv(t)
	e.tell("a", "Remember that the gateway listens on port 8080.")
	e.tell("b", "Forget what I said about the port 8080.")
	e.want()
	e.tell("agent", "go on")
	e.talk("c", "assistant: The project uses the port `8080` for its gateway, the gateway listens on port 8080.")
	e.end("c")
	e.want()
	e.tell("d", "Remember that the gateway listens on port 8080.")
	e.want(gateway)
	// Nobody need ask for it.
	const sign = "Always sign the release commits."
	e = newEnv(t)
	e.tell("a", sign)
	e.tell("b", "Forget what I said about signing the release commits.")
	e.want()
	e.tell("c", sign)
	e.want(sign)
	// In one conversation the later word counts, whatever came before.
	e = newEnv(t)
	e.tell("a", "Remember that the gateway listens on port 8080.")
	e.tell("b", "Forget what I said about the port 8080.", "Sorry, I was wrong.", "Remember that the gateway listens on port 8080.")
	e.want(gateway)
	e.tell("b", "Forget what I said about the port 8080.")
	e.want()
	e = newEnv(t)
	d := e.tell("a", "Remember that the gateway listens on port 8080.", "Remember that the backups are kept on host kiln.", "Always use tabs.", "Forget what I said about the port 8080.")
	e.want(backups, "Always use tabs.")
	e.dropped(d, map[string]int{"removed": 1})
}

// TestForgettingKeepsOrder: a retraction counts against what was said before it,
// whenever it is learned.
func TestForgettingKeepsOrder(t *testing.T) {
	e := newEnv(t)
	old := e.talk("old", "user: Forget what I said about the port 8080.")
	e.pass(time.Hour)
	e.tell("a", "Remember that the gateway listens on port 8080.")
	e.end(old.External)
	e.want(gateway)
}

// TestKilledWhileForgetting does a job whose removal is durable and its record not:
// the entry is gone once, and comes back when the job is undone.
func TestKilledWhileForgetting(t *testing.T) {
	e := newEnv(t)
	e.tell("a", "Remember that the gateway listens on port 8080.")
	d := e.tell("b", "Forget what I said about the port 8080.", "Remember that the backups are kept on host kiln.")
	must(t, e.queue.Forget(d.Processes[0]))
	again := e.replay(d.Job, "b")
	e.want(backups)
	if diff := cmp.Diff(d.Entries, again.Entries); diff != "" {
		t.Error(diff)
	}
	if u := e.undo(d.Job); u.Restored != 1 || u.Removed != 1 {
		t.Errorf("%+v", u)
	}
	e.want(gateway)
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
