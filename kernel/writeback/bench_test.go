package writeback_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// BenchmarkJob does a job that stores one entry beside others, or beside texts that
// were removed: each of them is compared with what was found, in some 35 µs. What it costs
// beside none is fsync(2), mostly. With -benchtime 100x few are added meanwhile.
func BenchmarkJob(b *testing.B) {
	for _, there := range []struct{ entries, removed int }{{0, 0}, {100, 0}, {1000, 0}, {5000, 0}, {0, 2000}} {
		b.Run(fmt.Sprint(there.entries, " entries, ", there.removed, " removed"), func(b *testing.B) {
			e := newEnv(b)
			e.row(memory.ScopeProject, func(p *memory.Policy) { p.Runes = 100_000_000 })
			e.fill(there.removed)
			e.removeAll()
			e.fill(there.entries)
			e.say(0)
			e.drain()
			i := 0
			for b.Loop() {
				b.StopTimer()
				i++
				e.say(i)
				b.StartTimer()
				e.drain()
			}
		})
	}
}

// fill adds entries of the kind that jobs learn, in few writes.
func (e *env) fill(n int) {
	for i := 0; i < n; {
		var ops []store.Request
		for ; len(ops) < 100 && i < n; i++ {
			text := fmt.Sprintf("The old%d service listens on port %d, behind the proxy of the staging cluster.", i, 1024+i)
			ops = append(ops, store.Request{Action: "add", Values: store.Values{Content: &text}})
		}
		e.write(store.Request{Action: "batch", Ops: ops})
	}
}

func (e *env) removeAll() {
	for list := range slices.Chunk(e.entries(memory.ScopeProject), 100) {
		var ops []store.Request
		for _, x := range list {
			ops = append(ops, store.Request{Action: "remove", ID: x.ID})
		}
		e.write(store.Request{Action: "batch", Ops: ops})
	}
}

// say hands in a conversation that one entry is learned from.
func (e *env) say(i int) {
	e.t.Helper()
	name := fmt.Sprint("new", i)
	p, err := e.talks.Begin(e.t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: name, Start: e.now})
	must(e.t, err)
	e.pass(time.Minute)
	_, err = e.talks.Append(e.t.Context(), project, p.UUID, []process.Turn{
		{ID: "a", Role: process.RoleUser, Content: fmt.Sprintf("Please remember: the %s service listens on port %d.", name, 1024+i), Time: e.now},
	})
	must(e.t, err)
	e.submit(spool.Job{Agent: "test", External: name, Event: "end", UID: uid})
}
