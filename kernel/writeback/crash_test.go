package writeback_test

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// childDir makes TestCrashChild a program to be killed.
const childDir = "RNIXFS_TEST_WRITEBACK_DIR"

// crashEnv is an env on a folder that others share, by the real clock.
func crashEnv(t *testing.T, dir string) *env {
	e := &env{
		t: t, dir: dir, set: writeback.Settings{Enabled: true, TriggerThreshold: 1, RequireSuccess: true, MaxEntries: 100, Summaries: true},
		limits: memory.DefaultPolicies(), model: adds(),
	}
	e.row(memory.ScopeProject, func(p *memory.Policy) { p.Runes = 10_000_000 })
	e.row(memory.ScopeGlobal, func(p *memory.Policy) { p.Runes = 10_000_000 })
	e.row(memory.ScopeUser, func(p *memory.Policy) { p.Runes = 10_000_000 })
	e.open()
	return e
}

// TestCrashChild submits conversations, learns from them, and says what was
// acknowledged, until it is killed.
func TestCrashChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("a part of TestCrash")
	}
	e := crashEnv(t, dir)
	go e.worker.Run(t.Context())
	for i := 0; ; i++ {
		name := fmt.Sprintf("svc%dx%d", os.Getpid(), i)
		text := fmt.Sprintf("The %s listens on port %d.", name, 1024+rand.IntN(60000))
		fact := fmt.Sprintf("The %s was built by team %d.", name, rand.IntN(60000))
		p, err := e.talks.Begin(t.Context(), process.Conversation{UID: uid, Project: project, Agent: "test", External: name, Start: time.Now()})
		must(t, err)
		_, err = e.talks.Append(t.Context(), project, p.UUID, []process.Turn{
			{ID: "a", Role: process.RoleUser, Content: "Please remember: " + text, Time: time.Now()},
			{ID: "b", Role: process.RoleTool, Content: "$ ls", Time: time.Now()},
			{ID: "c", Role: process.RoleUser, Content: "FACT: " + fact, Time: time.Now()},
		})
		must(t, err)
		e.submit(spool.Job{Agent: "test", External: name, Event: "end", UID: uid})
		e.worker.Wake()
		fmt.Println("acknowledged " + text)
		fmt.Println("acknowledged " + fact)
	}
}

// TestCrash kills programs at random moments, two at work on one spool: each job
// that was acknowledged is done, by the rules and by a model, and what it stored is there
// once, with a summary of each of the last fifty conversations.
// RNIXFS_CRASH_ROUNDS sets the rounds.
func TestCrash(t *testing.T) {
	if testing.Short() {
		t.Skip("starts processes")
	}
	dir := t.TempDir()
	acked := map[string]bool{}
	for round := 0; more(round, len(acked)); round++ {
		said := make(chan []string)
		for range 2 {
			go func() { said <- runChild(t, "TestCrashChild", dir, life(round, 60+rand.IntN(250))) }()
		}
		for range 2 {
			for _, text := range <-said {
				acked[text] = true
			}
		}
	}
	e := crashEnv(t, dir)
	defer e.close()
	e.drain()
	s, err := e.queue.Stats()
	must(t, err)
	seen := map[string]int{}
	for _, text := range e.texts() {
		seen[text]++
	}
	for text := range acked {
		if seen[text] != 1 {
			t.Errorf("%q is there %d times", text, seen[text])
		}
	}
	for text, n := range seen {
		if n != 1 {
			t.Errorf("%q is there %d times", text, n)
		}
	}
	t.Logf("%d acknowledged, %d entries, %+v", len(acked), len(seen), s)
	if n := len(e.summaries()); n != min(50, s.Done) {
		t.Errorf("%d summaries of %d conversations", n, s.Done)
	}
	if len(acked) == 0 || s.Queue != 0 || s.Dead != 0 {
		t.Errorf("%d acknowledged, %+v", len(acked), s)
	}
	undone := 0
	items, err := e.queue.List(t.Context())
	must(t, err)
	for _, it := range items {
		if it.Done != nil {
			undone += e.undo(it.ID).Removed
		}
	}
	if left := e.texts(); len(left) != 0 || undone != len(seen) {
		t.Errorf("%d entries could be undone of %d, %d are left", undone, len(seen), len(left))
	}
}

func crashRounds() int {
	if rounds, err := strconv.Atoi(os.Getenv("RNIXFS_CRASH_ROUNDS")); err == nil {
		return rounds
	}
	return 6
}

// more reports whether there is another round: on a busy machine the children may
// have been killed before they did anything, each time.
func more(round, acked int) bool {
	return round < crashRounds() || acked == 0 && round < 10*crashRounds()
}

// life is how long a child lives: longer in rounds beyond those that were asked for.
func life(round, ms int) time.Duration {
	return time.Duration(ms*(1+round/crashRounds())) * time.Millisecond
}

func runChild(t *testing.T, name, dir string, life time.Duration) (said []string) {
	cmd := exec.Command(os.Args[0], "-test.run=^"+name+"$", "-test.v")
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Error(err)
		return nil
	}
	timer := time.AfterFunc(life, func() { _ = cmd.Process.Signal(syscall.SIGKILL) })
	defer timer.Stop()
	for in := bufio.NewReader(out); ; {
		line, err := in.ReadString('\n')
		if err != nil { // a line that the kill cut off was not said
			break
		}
		if text, ok := strings.CutPrefix(strings.TrimSpace(line), "acknowledged "); ok {
			said = append(said, text)
		} else if strings.Contains(line, "_test.go") {
			t.Error(line)
		}
	}
	_ = cmd.Wait() // killed: an error by design
	return said
}
