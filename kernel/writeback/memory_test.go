package writeback_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

func (e *env) undo(job string) writeback.Undone {
	e.t.Helper()
	u, err := writeback.Undo(e.t.Context(), e.queue, e.store, memory.Caller{UID: uid, Trust: memory.TrustHuman}, job)
	must(e.t, err)
	return u
}

func TestSayingMoreReplaces(t *testing.T) {
	e := newEnv(t)
	e.learn("a", said("The staging database listens on port 6543."))
	e.learn("b", said("the staging database  listens on port 6543"))
	e.want("The staging database listens on port 6543.")
	longer := "The staging database listens on port 6543, behind pgbouncer."
	d := e.learn("c", said(longer))
	e.want(longer)
	e.learn("d", said("The staging database listens on port 6543."))
	e.want(longer)
	x := e.entries(memory.ScopeProject)[0]
	p := e.store.Reader(scope(memory.ScopeProject))
	if recs, err := p.History(t.Context(), memory.Match{ID: x.ID}); err != nil || len(recs) != 2 {
		t.Errorf("the history has %d records, %v", len(recs), err)
	}
	// And back.
	if u := e.undo(d.Job); u.Restored != 1 {
		t.Errorf("%+v", u)
	}
	e.want("The staging database listens on port 6543.")
	e.learn("e", said(longer))
	e.want("The staging database listens on port 6543.")
}

func TestWhatPeopleWroteStays(t *testing.T) {
	e := newEnv(t)
	e.add("The staging database listens on port 6543.")
	d := e.learn("a", said("The staging database listens on port 6543, behind pgbouncer."), corrected("The staging database listens on port 7000."))
	e.want("The staging database listens on port 6543.")
	if diff := cmp.Diff(map[string]int{"known": 1, "contradicts": 1}, d.Dropped); diff != "" {
		t.Error(diff)
	}
	// An extracted one that was pinned stays, too.
	e.learn("b", said("Redis listens on port 6380."))
	yes := true
	e.write(store.Request{Action: "replace", ID: e.entries(memory.ScopeProject)[1].ID, Values: store.Values{Pinned: &yes}})
	e.learn("c", corrected("Redis listens on port 6381."))
	e.want("The staging database listens on port 6543.", "Redis listens on port 6380.")
}

func TestCorrections(t *testing.T) {
	e := newEnv(t)
	e.learn("a", said("Use npm to install the packages of the website."))
	old := e.talk("b")
	e.learn("c", corrected("Use pnpm to install the packages of the website."))
	e.want("Use pnpm to install the packages of the website.")
	// What was said before the correction does not bring the old one back.
	e.first = fixed(corrected("Use npm to install the packages of the website."))
	e.end(old.External)
	e.want("Use pnpm to install the packages of the website.")
	// What is said after it does.
	e.learn("d", corrected("Use npm to install the packages of the website."))
	e.want("Use npm to install the packages of the website.")
	// Never and always.
	e.learn("e", said("Commit to main."))
	e.learn("f", corrected("Never commit to main."))
	e.want("Use npm to install the packages of the website.", "Never commit to main.")
}

func TestRemovedDoesNotComeBack(t *testing.T) {
	e := newEnv(t)
	e.learn("a", said("The staging database listens on port 6543."))
	e.write(store.Request{Action: "remove", ID: e.entries(memory.ScopeProject)[0].ID})
	e.learn("b", said("The staging database listens on port 6543."), said("the staging database listens on port 6543, always"))
	e.want()
	e.learn("c", said("The staging database listens on port 7000."))
	e.want("The staging database listens on port 7000.")
	// A person who put another text in its place meant it.
	text := "Ask Bob for the port of the staging database."
	e.write(store.Request{Action: "replace", ID: e.entries(memory.ScopeProject)[0].ID, Values: store.Values{Content: &text}})
	e.learn("d", said("The staging database listens on port 7000."))
	e.want(text)
	// Asked for before the removal: no; after it: yes.
	early := e.talk("early")
	e.pass(time.Hour)
	e.add("We deploy on Mondays.")
	e.write(store.Request{Action: "remove", ID: e.entries(memory.ScopeProject)[1].ID})
	e.first = fixed(asked("We deploy on Mondays."))
	e.end(early.External)
	e.want(text)
	e.learn("late", asked("We deploy on Mondays."))
	e.want(text, "We deploy on Mondays.")
}

func TestUndo(t *testing.T) {
	e := newEnv(t)
	e.learn("a", said("Redis listens on port 6380."))
	about := said("The user lives in Vienna.")
	about.Target = memory.ScopeUser
	d := e.learn("b", said("We deploy on Mondays."), corrected("Redis listens on port 6381."), said("The wiki is on port 8090."), about)
	text := "The wiki is on port 8091."
	for _, x := range e.entries(memory.ScopeProject) {
		if x.Content == "The wiki is on port 8090." {
			e.write(store.Request{Action: "replace", ID: x.ID, Values: store.Values{Content: &text}})
		}
	}
	want := writeback.Undone{Job: d.Job, Removed: 2, Restored: 1, Left: 1}
	if diff := cmp.Diff(want, e.undo(d.Job)); diff != "" {
		t.Error(diff)
	}
	e.want("Redis listens on port 6380.", text)
	e.learn("c", said("We deploy on Mondays."), corrected("Redis listens on port 6381."), about)
	e.want("Redis listens on port 6380.", text)
	if list := e.entries(memory.ScopeUser); len(list) != 0 {
		t.Errorf("%v", list)
	}
	if u := e.undo(d.Job); u.Removed+u.Restored != 0 {
		t.Errorf("undone again: %+v", u)
	}
	if r, err := e.queue.Record(d.Job); err != nil || r.Undone == nil {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := writeback.Undo(t.Context(), e.queue, e.store, memory.Caller{UID: uid}, "11111111-2222-7333-8444-555555555555"); memory.KindOf(err) != memory.KindNotFound {
		t.Errorf("%v", err)
	}
}

// TestEcho: what memory itself gave to the agent, from elsewhere or before it was
// removed, is nothing that an extractor is shown.
func TestEcho(t *testing.T) {
	e := newEnv(t)
	const cache = "The build cache lives on host kiln."
	e.model = &standIn{answer: func(prompt string) (string, error) {
		if n := turnOf(prompt, cache); n > 0 {
			return operations(op{Action: "add", Text: cache, Turn: n, Quote: cache}), nil
		}
		return operations(), nil
	}}
	for name, turn := range map[string]string{
		"recall":  `tool: {"ok":true,"results":[{"uuid":"x","summary":"` + cache + `","source":"memory"}],"count":1}`,
		"page":    "tool: $ cat /dev/memory/search/cache\n1. memory \"cache\"\n   > " + cache,
		"context": "user: <rnix-memory>\n- " + cache + " [human, 2026-05-06]\n</rnix-memory>",
	} {
		e.talk(name, turn, "user: Go on, please.")
		if d := e.end(name); len(e.texts()) > 0 {
			t.Errorf("%s: %v %q", name, d.Dropped, e.texts())
		}
	}
	e.talk("own words", "user: <rnix-memory>\n- Another.\n</rnix-memory>\n"+cache)
	e.end("own words")
	e.want(cache)
}

func TestKnownEverywhereIsKnownHere(t *testing.T) {
	e := newEnv(t)
	c := said("Commits are signed off by their author.")
	c.Target = memory.ScopeGlobal
	e.learn("a", c)
	c.Target = memory.ScopeProject
	if d := e.learn("b", c); d.Dropped["known"] != 1 {
		t.Errorf("%+v", d)
	}
}

// TestKilledBetweenStoreAndRecord does a job whose entries were stored by an
// attempt that left no record: they are its own, and there once.
func TestKilledBetweenStoreAndRecord(t *testing.T) {
	e := newEnv(t)
	e.talk("s")
	found := []rules.Candidate{said("Redis listens on port 6380."), said("We deploy on Mondays.")}
	e.first = fixed(found...)
	d := e.end("s")
	// As if the record, the mark and the end of the job were not on disk yet.
	e.forget(d.Processes[0])
	again := e.replay(d.Job, "s")
	e.want("Redis listens on port 6380.", "We deploy on Mondays.")
	if diff := cmp.Diff(d.Entries, again.Entries); diff != "" {
		t.Error(diff)
	}
}
