package fuse

import (
	"encoding/json"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestDeadline: a slow request is answered in time, goes on, and is not run twice
// when it is sent again.
func TestDeadline(t *testing.T) {
	m := mount(t, serving{Options: settings{Deadline: 300 * time.Millisecond}})
	before := runs(t, m)
	script := `Q='{"q":"slow","sleep":700}'; echo "$Q" > $M/commit; cat $M/commit; echo "$Q" > $M/commit; cat $M/commit; echo "$Q" > $M/commit && cat $M/commit`
	out, errs, rc := m.sh(t, "bash", script)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if rc != 0 || len(lines) != 3 || !strings.Contains(lines[0], `"code":"timeout"`) || !strings.Contains(lines[2], `"q":"slow"`) {
		t.Errorf("status %d, %q, stderr %q", rc, out, errs)
	}
	var late, done struct{ Request string }
	_, _ = json.Unmarshal([]byte(lines[0]), &late), json.Unmarshal([]byte(lines[len(lines)-1]), &done)
	if late.Request == "" || late.Request != done.Request {
		t.Errorf("the reply of a late request has another id than its timeout: %q", out)
	}
	if !strings.Contains(errs, "Connection timed out") {
		t.Errorf("stderr %q", errs)
	}
	if got := runs(t, m) - before; got != 1 {
		t.Errorf("%d runs of one request", got)
	}
	// Its result was delivered: the same once more is meant.
	m.sh(t, "bash", `echo '{"q":"slow","sleep":700}' > $M/commit`)
	if got := runs(t, m) - before; got != 2 {
		t.Errorf("%d runs of two requests", got)
	}
	// Without a retry the reply comes to where the timeout was.
	out, _, _ = m.sh(t, "bash", `echo '{"q":"late","sleep":500}' > $M/commit; sleep 0.6; cat $M/commit`)
	if !strings.Contains(out, `"q":"late"`) {
		t.Errorf("%q", out)
	}
}

// TestSignals: a signal neither undoes nor repeats a request.
func TestSignals(t *testing.T) {
	need(t, "python3")
	m := mount(t, serving{})
	before := runs(t, m)
	out, errs, rc := m.sh(t, "bash", `python3 -c '
import os,signal
signal.signal(signal.SIGALRM, lambda *a: None)
signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
f=os.open(os.environ["M"]+"/commit",os.O_RDWR)
os.write(f,b"{\"q\":\"signalled\",\"sleep\":400}\n"); print(os.read(f,1000)); signal.setitimer(signal.ITIMER_REAL, 0)'`)
	if rc != 0 || !strings.Contains(out, "signalled") || runs(t, m)-before != 1 {
		t.Errorf("status %d, %d runs, %q %q", rc, runs(t, m)-before, out, errs)
	}
}

// TestParallelWriters: those who wait do not wait for each other.
func TestParallelWriters(t *testing.T) {
	m := mount(t, serving{})
	at := time.Now()
	_, errs, _ := m.sh(t, "bash", `for i in $(seq 32); do (echo '{"sleep":1000}' > $M/commit) & done; wait`)
	if took := time.Since(at); took > 16*time.Second || errs != "" {
		t.Errorf("32 writers of 1 s took %v; %q", took, errs)
	}
}

func TestKilledServer(t *testing.T) {
	point := mountpoint(t)
	m := mount(t, serving{Point: point})
	f, err := os.Open(point + "/recall")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	m.kill(t)
	if s, err := MountState(point); s != StateStale || err != nil {
		t.Fatalf("after a crash: %v %v", s, err)
	}
	again := mount(t, serving{Point: point})
	if s, err := MountState(point); s != StateLive || err != nil {
		t.Errorf("taken over: %v %v", s, err)
	}
	if out, _, _ := again.sh(t, "bash", `echo '{"q":"back"}' > $M/recall && cat $M/recall`); !strings.Contains(out, "back") {
		t.Errorf("%q", out)
	}
	// A second one is refused.
	if _, line := start(t, serving{Point: point}); !strings.Contains(line, "mounted there already") {
		t.Errorf("a second server: %q", line)
	}
}

func TestUnmountBusy(t *testing.T) {
	m := mount(t, serving{})
	holder := exec.Command("sleep", "60")
	holder.Dir = m.dir
	if err := holder.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = holder.Process.Kill(); _ = holder.Wait() }()
	_, err := Unmount(m.dir, 0)
	if err == nil || !strings.Contains(err.Error(), "sleep (pid") || !strings.Contains(err.Error(), "working directory") {
		t.Fatalf("busy: %v", err)
	}
	// The server's own unmount detaches.
	if got := m.ask(t, "unmount"); got != "unmounted: <nil>" {
		t.Error(got)
	}
	if s, err := MountState(m.dir); s != StateNone || err != nil {
		t.Errorf("%v %v", s, err)
	}
	if _, err := Unmount(m.dir, 0); err == nil {
		t.Error("nothing is mounted there any more")
	}
}

func TestUnmount(t *testing.T) {
	m := mount(t, serving{})
	if _, err := Unmount(m.dir, 0); err != nil {
		t.Fatal(err)
	}
	if s, _ := MountState(m.dir); s != StateNone {
		t.Error(s)
	}
	if _, err := os.Stat(m.dir + "/recall"); !os.IsNotExist(err) {
		t.Error(err)
	}
}

func TestMountStateForeign(t *testing.T) {
	if s, err := MountState("/proc"); s != StateForeign || err != nil {
		t.Errorf("%v %v", s, err)
	}
	if _, err := Unmount("/proc", 0); err == nil {
		t.Error("/proc was unmounted")
	}
	if s, err := MountState(t.TempDir()); s != StateNone || err != nil {
		t.Errorf("%v %v", s, err)
	}
}

// memoryOf returns a process's resident memory in bytes.
func memoryOf(tb testing.TB, pid int) int {
	tb.Helper()
	raw, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/statm")
	if err != nil {
		tb.Fatal(err)
	}
	pages, err := strconv.Atoi(strings.Fields(string(raw))[1])
	if err != nil {
		tb.Fatal(err)
	}
	return pages * syscall.Getpagesize()
}

func eventually(tb testing.TB, ok func() bool) {
	tb.Helper()
	for range 100 {
		if ok() {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	tb.Error("did not come to pass")
}
