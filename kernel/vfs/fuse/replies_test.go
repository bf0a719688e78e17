package fuse

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// world is a made-up process tree.
type world struct {
	chains map[int]attest.Chain // by pid
	dead   map[int]bool
	now    time.Time
}

func newWorld() *world {
	return &world{chains: map[int]attest.Chain{1: {{PID: 1, ID: 1}}}, dead: map[int]bool{}, now: time.Unix(1e9, 0)}
}

func (w *world) fork(parent int, uid uint32) int {
	pid := len(w.chains) + 1
	w.chains[pid] = append(attest.Chain{{PID: pid, ID: uint64(pid), UID: uid}}, w.chains[parent]...)
	return pid
}

func (w *world) replies(limit int64) *replies {
	return newReplies(func(l attest.Link) bool { return !w.dead[l.PID] }, func() time.Time { return w.now }, limit)
}

// model finds a reply by the rule as it is written down, over all that were given.
func (w *world) model(all []given, reader int, uid uint32) string {
	for i, a := range w.chains[reader] {
		if a.UID != uid {
			continue
		}
		for j := len(all) - 1; j >= 0; j-- {
			g := all[j]
			if w.now.Sub(g.at) > replyAge {
				continue
			}
			for k, b := range g.chain {
				if b != a {
					continue
				}
				own := i > 0 && k > 0 && w.chains[reader][i-1] == g.chain[k-1]
				if k > 0 && (own || !w.dead[g.chain[k-1].PID]) {
					continue
				}
				if a.PID == 1 && k > 0 && i > 0 {
					return "" // init is neither the writer nor the reader
				}
				return g.body
			}
		}
	}
	return ""
}

type given struct {
	chain attest.Chain
	body  string
	at    time.Time
}

// TestRepliesModel compares the reply cache with the rule, over random trees.
func TestRepliesModel(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld()
		w.chains[1][0].UID = rapid.SampledFrom([]uint32{0, 7}).Draw(t, "init's uid")
		c := w.replies(1 << 30)
		at := place{uid: 7, device: "recall"}
		pids := []int{1, w.fork(1, 7), w.fork(1, 0)}
		var all []given
		alive := func() []int {
			var out []int
			for _, p := range pids {
				if !w.dead[p] {
					out = append(out, p)
				}
			}
			return out
		}
		for range rapid.IntRange(1, 80).Draw(t, "steps") {
			now := alive()
			if len(now) == 0 {
				return
			}
			pid := rapid.SampledFrom(now).Draw(t, "pid")
			switch rapid.IntRange(0, 5).Draw(t, "step") {
			case 0, 1:
				pids = append(pids, w.fork(pid, rapid.SampledFrom([]uint32{7, 7, 7, 0}).Draw(t, "uid")))
			case 2, 3:
				body := fmt.Sprint("reply ", len(all))
				c.put(at, w.chains[pid], []byte(body))
				all = append(all, given{w.chains[pid], body, w.now})
			case 4:
				w.dead[pid] = pid != 1
			case 5:
				w.now = w.now.Add(rapid.SampledFrom([]time.Duration{time.Second, 4 * time.Minute}).Draw(t, "time"))
			}
			for _, reader := range alive() {
				got, want := string(c.ofChain(at, w.chains[reader])), w.model(all, reader, 7)
				if got != want {
					t.Fatalf("pid %d reads %q, want %q", reader, got, want)
				}
			}
		}
	})
}

// TestRepliesBounded: children that come, write and end leave no more behind than
// the limit, and under their parent hardly anything.
func TestRepliesBounded(t *testing.T) {
	w := newWorld()
	c := w.replies(1 << 20)
	at := place{uid: 7, device: "recall"}
	parent := w.fork(1, 7)
	body := make([]byte, 1000)
	for range 20_000 {
		child := w.fork(parent, 7)
		c.put(at, w.chains[child], body)
		w.dead[child] = true
	}
	if n := c.users[7].bytes; n > 1<<20 || n < 0 {
		t.Errorf("%d bytes", n)
	}
	if n := len(c.below[ancestor{at, w.chains[parent][0]}]); n > 64 {
		t.Errorf("%d branches under the parent", n)
	}
	if c.ofChain(at, w.chains[w.fork(parent, 7)]) == nil {
		t.Error("the last reply is lost")
	}
	if got, want := c.count[at], c.users[7].queue.Len(); got != want {
		t.Errorf("%d replies, %d of them queued", got, want)
	}
}

func TestRepliesSessions(t *testing.T) {
	w := newWorld()
	c := w.replies(1 << 20)
	one, two := place{7, "one", "recall"}, place{7, "two", "recall"}
	c.put(one, nil, []byte("a"))
	c.put(one, nil, []byte("b"))
	if got := string(c.ofSession(one)); got != "b" {
		t.Error(got)
	}
	if got := c.ofSession(two); got != nil {
		t.Errorf("%s", got)
	}
	w.now = w.now.Add(replyAge + time.Second)
	if got := c.ofSession(one); got != nil {
		t.Errorf("too old: %s", got)
	}
}

// TestRepliesCost: what the cache holds in memory is what its limit says, however long
// the bodies, and the ancestries of their askers, are.
func TestRepliesCost(t *testing.T) {
	const limit = 8 << 20
	heap := func() int64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	at := place{uid: 7, device: "recall"}
	for _, c := range []struct{ size, depth int }{{40, 1}, {40, 12}, {300, 3}, {3000, 3}, {60_000, 5}} {
		before := heap()
		kept := (&world{now: time.Unix(1e9, 0)}).replies(limit)
		for n := range 2 * limit / c.size / c.depth { // each by a shell of its own
			chain := make(attest.Chain, 0, 16)
			for i := range c.depth {
				chain = append(chain, attest.Link{PID: 2 + n*c.depth + i, ID: uint64(n*c.depth + i), UID: 7})
			}
			kept.put(at, chain, append(make([]byte, 0, 2*c.size), make([]byte, c.size)...))
		}
		if grown := heap() - before; grown > limit*5/4 {
			t.Errorf("bodies of %d bytes, %d ancestors: %d bytes for a limit of %d", c.size, c.depth, grown, limit)
		} else {
			t.Logf("bodies of %d bytes, %d ancestors: %.2f of the limit", c.size, c.depth, float64(grown)/limit)
		}
		runtime.KeepAlive(kept)
	}
}
