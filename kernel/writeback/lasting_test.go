package writeback_test

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// lasting are texts that say the same, more, less and the opposite of each other.
var lasting = []string{
	"The staging database listens on port 6543.",
	"The staging database listens on port 6543, behind pgbouncer.",
	"The staging database listens on port 7000.",
	"Commit to main.",
	"Never commit to main.",
	"The user lives in Vienna.",
	"The user lives in Graz.",
	"The cache lives in Redis.",
}

// TestLastingMemory: a worker that lasts learns what one learns that starts anew
// before each job, while people write, edit files and take back.
func TestLastingMemory(t *testing.T) {
	for seed := range uint64(4) {
		one, other := newEnv(t), newEnv(t)
		one.watch, other.watch = true, true
		one.reopen()
		r := rand.New(rand.NewPCG(seed, 0))
		var done []string // what was done, the jobs of both
		var jobs [][2]string
		for step := range 30 {
			text, second := lasting[r.IntN(len(lasting))], lasting[r.IntN(len(lasting))]
			kind, pick := r.IntN(10), r.IntN(100)
			other.reopen()
			switch {
			case kind < 5:
				c := []rules.Candidate{said(text), corrected(second)}
				if pick < 20 {
					c[0].Asked = true
				}
				name := "s" + string(rune('a'+step))
				x, y := one.learn(name, c...), other.learn(name, c...)
				if diff := cmp.Diff(x.Dropped, y.Dropped); diff != "" {
					t.Fatalf("seed %d, after %q:\n%s", seed, done, diff)
				}
				jobs = append(jobs, [2]string{x.Job, y.Job})
				done = append(done, "learn "+text+" "+second)
			case kind < 6 && len(jobs) > 0:
				pick %= len(jobs)
				one.undo(jobs[pick][0])
				other.undo(jobs[pick][1])
				done = append(done, "undo")
			case len(one.texts()) > 0:
				pick %= len(one.texts())
				done = append(done, one.change(kind, pick, text))
				other.change(kind, pick, text)
			}
			if diff := cmp.Diff(one.texts(), other.texts()); diff != "" {
				t.Fatalf("seed %d, after %q:\n%s", seed, done, diff)
			}
		}
	}
}

func (e *env) reopen() {
	e.close()
	e.open()
}

// change has a person remove an entry, or put a text in its place: by a request, or
// in its file.
func (e *env) change(kind, pick int, text string) string {
	e.t.Helper()
	old := e.entries(memory.ScopeProject)[pick]
	for _, other := range e.texts() {
		if other == text {
			kind = 6
		}
	}
	switch kind {
	case 6:
		e.write(store.Request{Action: "remove", ID: old.ID})
		return "remove " + old.Content
	case 7, 8:
		e.write(store.Request{Action: "replace", ID: old.ID, Values: store.Values{Content: &text}})
		return "replace " + old.Content + " " + text
	}
	e.edit(old.Content, text)
	return "edit " + old.Content + " " + text
}

// edit changes an entry's file by hand, and waits until that is known, or put back:
// what was undone does not come back by a file.
func (e *env) edit(old, text string) {
	e.t.Helper()
	edited := ""
	files, err := filepath.Glob(filepath.Join(e.dir, "memory", "memory_*", "*.md"))
	must(e.t, err)
	for _, path := range files {
		raw, err := os.ReadFile(path)
		must(e.t, err)
		if head, ok := strings.CutSuffix(strings.TrimSpace(string(raw)), old); ok {
			must(e.t, os.WriteFile(path, []byte(head+text+"\n"), 0o600))
			edited = path
			break
		}
	}
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		for _, now := range e.texts() {
			if now == text {
				return
			}
		}
		if raw, err := os.ReadFile(edited); err == nil && !strings.HasSuffix(strings.TrimSpace(string(raw)), text) {
			return
		}
		if time.Now().After(end) {
			e.t.Fatalf("%q was not taken in", text)
		}
	}
}
