package main_test

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestSoak starts 40 processes a second that commit, recall, search and look, no query
// and no session twice, at most 200 at once. What the daemon holds is flat after the first sixth of the time.
// RNIXFS_SOAK is how long it takes (1h), RNIXFS_SOAK_LOG a file for the readings.
func TestSoak(t *testing.T) {
	long, err := time.ParseDuration(os.Getenv("RNIXFS_SOAK"))
	if err != nil {
		long = 6 * time.Second
	}
	m := newMount(t, "store:\n  memory_char_limit: 20000\n  overflow_policy: fifo\n")
	pid := m.pid()
	scripts := []string{
		`echo '{"action":"add","content":"fact %[1]d: the word%[2]d of module%[3]d changed"}' > $MNT/commit`,
		`cat "$MNT/search/word%[2]d module%[3]d %[1]d"`,
		`echo '{"query":"word%[2]d %[1]d"}' > $MNT/recall; cat $MNT/recall`,
		`cat $MNT/s/agent-%[1]d/recall; cat "$MNT/s/agent-%[1]d/search/module%[3]d"`,
		`cat $MNT/context $MNT/status; ls $MNT; stat "$MNT/search/seen %[1]d"`,
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	failed, shown := 0, ""
	var all []reading
	begin := time.Now()
	running := make(chan struct{}, 200)
	for n := 0; time.Since(begin) < long; n++ {
		time.Sleep(time.Until(begin.Add(time.Duration(n) * time.Second / 40))) // what was late is made up
		cmd := exec.Command("sh", "-c", fmt.Sprintf(scripts[n%len(scripts)], n, n%89, n%37))
		cmd.Dir, cmd.Env = m.work, m.env
		running <- struct{}{}
		wg.Go(func() {
			defer func() { <-running }()
			if out, err := cmd.CombinedOutput(); err != nil {
				mu.Lock()
				defer mu.Unlock()
				failed, shown = failed+1, fmt.Sprintf("%s: %v: %s", cmd.Args, err, out)
			}
		})
		if time.Since(begin) >= time.Duration(len(all)+1)*long/60 {
			all = append(all, read(t, pid))
			note(t, fmt.Sprintf("%s after %v: %d processes, %+v", time.Now().Format(time.TimeOnly), time.Since(begin).Round(time.Second), n, all[len(all)-1]))
		}
	}
	wg.Wait()
	note(t, fmt.Sprintf("%d processes failed %s", failed, shown))
	first, rest := most(all[:len(all)/6]), most(all[len(all)/6:])
	note(t, fmt.Sprintf("most in the first sixth %+v, then %+v", first, rest))
	if failed > 0 {
		t.Errorf("%d processes failed, the last: %s", failed, shown)
	}
	if long >= 10*time.Minute && rest.KB > first.KB*5/4 || rest.KB > 128<<10 || rest.Descriptors > first.Descriptors+8 || rest.Threads > first.Threads+8 {
		t.Errorf("it grew from %+v to %+v", first, rest)
	}
}

// reading is what a process holds.
type reading struct{ KB, Descriptors, Threads int }

func read(t *testing.T, pid int) (r reading) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(status)) {
		fields := strings.Fields(line)
		switch fields[0] {
		case "VmRSS:":
			r.KB, _ = strconv.Atoi(fields[1])
		case "Threads:":
			r.Threads, _ = strconv.Atoi(fields[1])
		}
	}
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", pid))
	if err != nil {
		t.Fatal(err)
	}
	r.Descriptors = len(fds)
	return r
}

func most(all []reading) (top reading) {
	for _, r := range all {
		top = reading{max(top.KB, r.KB), max(top.Descriptors, r.Descriptors), max(top.Threads, r.Threads)}
	}
	return top
}

func note(t *testing.T, line string) {
	t.Helper()
	t.Log(line)
	if path := os.Getenv("RNIXFS_SOAK_LOG"); path != "" {
		f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		fmt.Fprintln(f, line)
	}
}
