package spool

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// modelJob is what must be true of a job.
type modelJob struct {
	id, key string
	fails   int
	laters  int
	crashes int
	due     time.Time
	state   string // waiting, held, done, dead, replaced
}

// TestModel compares two workers on one folder with a list in memory.
func TestModel(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		b.dir = filepath.Join(t.TempDir(), fmt.Sprint(rapid.Uint64().Draw(rt, "dir")))
		b.s = New(b.dir, Options{NewID: b.id})
		workers := []*Queue{b.open(), b.open()}
		var jobs []*modelJob
		held := map[*modelJob]*Claim{}
		byID := func(id string) *modelJob {
			for _, j := range jobs {
				if j.id == id {
					return j
				}
			}
			return nil
		}
		some := func(rt *rapid.T) *modelJob {
			for _, j := range jobs {
				if held[j] != nil && rapid.Bool().Draw(rt, "this") {
					return j
				}
			}
			rt.Skip("nothing is held")
			return nil
		}
		// expect is the job that a worker must get now.
		expect := func() *modelJob {
			last, busy := map[string]*modelJob{}, map[string]bool{}
			for _, j := range jobs {
				if j.state == "held" {
					busy[j.key] = true
				}
				if j.state != "waiting" {
					continue
				}
				if old := last[j.key]; old != nil {
					old.state = "replaced"
				}
				last[j.key] = j
			}
			for _, j := range jobs {
				if j.state != "waiting" || busy[j.key] || j.due.After(b.now) {
					continue
				}
				if j.crashes >= 3 {
					j.state = "dead"
					continue
				}
				return j
			}
			return nil
		}
		rt.Repeat(map[string]func(*rapid.T){
			"submit": func(rt *rapid.T) {
				j := Job{Agent: "a", External: fmt.Sprint(rapid.IntRange(0, 4).Draw(rt, "conversation"))}
				jobs = append(jobs, &modelJob{id: b.submit(j), key: j.External, state: "waiting"})
			},
			"wait": func(rt *rapid.T) {
				b.now = b.now.Add(time.Duration(rapid.IntRange(1, 5000).Draw(rt, "ms")) * time.Millisecond)
			},
			"claim": func(rt *rapid.T) {
				want := expect()
				c, _, err := workers[rapid.IntRange(0, 1).Draw(rt, "worker")].Claim(context.Background())
				if err != nil {
					rt.Fatal(err)
				}
				if (c == nil) != (want == nil) || c != nil && (c.ID != want.id || c.Attempt != want.fails+1) {
					rt.Fatalf("got %+v, want %+v", c, want)
				}
				if c != nil {
					want.state, held[want] = "held", c
				}
			},
			"done": func(rt *rapid.T) {
				j := some(rt)
				if err := held[j].Done(Done{}); err != nil {
					rt.Fatal(err)
				}
				delete(held, j)
				j.state = "done"
			},
			"fail": func(rt *rapid.T) {
				j := some(rt)
				if err := held[j].Fail(memory.KindInternal, "because", false); err != nil {
					rt.Fatal(err)
				}
				delete(held, j)
				j.fails++
				j.state = "waiting"
				// Base 2 s, doubled; the jitter's half of a half.
				j.due = b.now.Add(2 * time.Second << (j.fails - 1) * 3 / 4)
				if j.fails == 3 {
					j.state = "dead"
				}
			},
			"later": func(rt *rapid.T) {
				j := some(rt)
				if err := held[j].Later(memory.KindUnavailable, "because", Done{}); err != nil {
					rt.Fatal(err)
				}
				delete(held, j)
				// Base 2 s, four times doubled at first; the jitter's half of a half.
				j.state, j.due = "waiting", b.now.Add(min(2*time.Second<<(j.laters+4), time.Hour)*3/4)
				j.laters++
			},
			"release": func(rt *rapid.T) {
				j := some(rt)
				held[j].Release()
				delete(held, j)
				j.state = "waiting"
			},
			"crash": func(rt *rapid.T) {
				j := some(rt)
				held[j].crash()
				delete(held, j)
				j.crashes++
				j.state = "waiting"
			},
			"retry": func(rt *rapid.T) {
				for _, j := range jobs {
					if j.state == "dead" && rapid.Bool().Draw(rt, "this") {
						if err := workers[0].Retry(context.Background(), j.id); err != nil {
							rt.Fatal(err)
						}
						*j = modelJob{id: j.id, key: j.key, state: "waiting"}
						return
					}
				}
				rt.Skip("nothing is dead")
			},
			"": func(rt *rapid.T) {
				list, err := workers[1].List(context.Background())
				if err != nil {
					rt.Fatal(err)
				}
				there := map[string]string{}
				for _, it := range list {
					there[it.ID] = it.State
					j := byID(it.ID)
					if j == nil || (it.State == "done") != (j.state == "done") || it.State == "dead" && j.state != "dead" {
						rt.Fatalf("%+v is listed, want %+v", it, j)
					}
				}
				done := 0
				for _, j := range jobs {
					if j.state == "done" {
						done++
					}
					if j.state == "held" && there[j.id] == "" || j.state == "dead" && there[j.id] == "" {
						rt.Fatalf("%+v is lost", j)
					}
				}
			},
		})
		for _, c := range held {
			c.crash()
		}
	})
}
