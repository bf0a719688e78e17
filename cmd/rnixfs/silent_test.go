package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestStopped: what asks a mount whose daemon is stopped can be ended, and leaves
// no request behind; the commands that look at the mount say what is wrong.
func TestStopped(t *testing.T) {
	m := newMount(t, "")
	m.must("rnixfs commit add kept")
	pid := m.pid()
	goOn := func() { _ = syscall.Kill(pid, syscall.SIGCONT) }
	t.Cleanup(goOn) // before it is unmounted
	stopAll(t, pid)
	for _, args := range [][]string{{"commit", "add", "lost"}, {"status"}} {
		m.endBlocked(args...)
	}
	for _, c := range []struct {
		command string
		exit    int
		says    string
	}{
		{"mountpoint --state", 0, "silent"},
		{"doctor", 4, fmt.Sprintf("does not answer (its process %d is stopped)", pid)},
		{"umount", 20, "--lazy"},
		{"mount", 5, "mounted there already"},
	} {
		if out, rc := m.sh("rnixfs " + c.command); rc != c.exit || !strings.Contains(out, c.says) {
			t.Errorf("%s: exit %d: %s", c.command, rc, out)
		}
	}
	goOn()
	m.must("rnixfs commit add after")
	if got := m.snapshot(); strings.Contains(got, "lost") || !strings.Contains(got, "kept") || !strings.Contains(got, "after") {
		t.Errorf("%s", got)
	}
	if out, rc := m.sh("rnixfs doctor"); rc != 0 || !strings.Contains(out, "and answers") {
		t.Errorf("doctor: exit %d: %s", rc, out)
	}
	stopAll(t, pid)
	m.must("rnixfs umount --lazy")
	if got := m.must("rnixfs mountpoint --state"); got != "none\n" {
		t.Errorf("%q", got)
	}
	goOn()
	for end := time.Now().Add(time.Minute); syscall.Kill(pid, 0) == nil && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}

// stopAll stops a process and waits until each of its threads has stopped: one that
// still runs may take a request from the kernel, whose caller then waits for the answer
// whatever happens to it.
func stopAll(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		if err != nil {
			t.Fatal(err)
		}
		if !slices.ContainsFunc(threads, func(path string) bool {
			raw, err := os.ReadFile(path)
			return err == nil && !strings.Contains(string(raw), ") T ")
		}) {
			return
		}
	}
	t.Fatal("it does not stop")
}

// endBlocked starts a command, waits until it is blocked, and ends it.
func (m *mount) endBlocked(args ...string) {
	m.t.Helper()
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = m.work, m.env
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		m.t.Fatal(err)
	}
	// The first to wait is the question whether the mount lives; the second is
	// what the command is about.
	for end := time.Now().Add(time.Minute); waiting(cmd.Process.Pid) < 2 && time.Now().Before(end); {
		time.Sleep(20 * time.Millisecond)
	}
	first := fmt.Sprintf("/proc/%d/task/%[1]d/wchan", cmd.Process.Pid)
	if raw, err := os.ReadFile(first); err != nil || strings.Contains(string(raw), "request_wait_answer") {
		m.t.Errorf("%q: the first thread waits, and takes no signal: %v", args, err)
	}
	if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
		m.t.Fatal(err)
	}
	hung := time.AfterFunc(15*time.Second, func() { _ = cmd.Process.Kill() })
	defer hung.Stop()
	_ = cmd.Wait()
	if rc := cmd.ProcessState.ExitCode(); rc != 128+int(syscall.SIGTERM) {
		m.t.Errorf("%q: exit %d: %s", args, rc, out.String())
	}
}

// waiting counts the threads of a process that wait for a FUSE server.
func waiting(pid int) (n int) {
	places, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/wchan", pid))
	for _, p := range places {
		if raw, err := os.ReadFile(p); err == nil && strings.Contains(string(raw), "request_wait_answer") {
			n++
		}
	}
	return n
}
