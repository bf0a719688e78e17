package attest

import (
	"os/exec"
	"testing"
	"time"
)

// TestAliveMany: of many processes, each is told right, while they run, and after
// some have ended.
func TestAliveMany(t *testing.T) {
	a := New("")
	var cmds []*exec.Cmd
	var links []Link
	for range 40 {
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
		cmds, links = append(cmds, cmd), append(links, a.Chain(cmd.Process.Pid)[0])
	}
	for i, l := range links {
		if !a.Alive(l) {
			t.Errorf("process %d runs", i)
		}
	}
	for _, cmd := range cmds[:20] {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
	for i, l := range links {
		if a.Alive(l) != (i >= 20) {
			t.Errorf("process %d: alive is %v", i, i < 20)
		}
	}
}

func TestWatch(t *testing.T) {
	cmd := exec.Command("sleep", "60")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := func(atMost time.Duration) bool { return Watch(cmd.Process.Pid).Wait(atMost) }
	if ended(0) || ended(10*time.Millisecond) {
		t.Error("it runs")
	}
	w := Watch(cmd.Process.Pid)
	w.Terminate()
	if !w.Wait(time.Minute) {
		t.Error("it was sent SIGTERM")
	}
	_ = cmd.Wait()
	if !ended(0) || !Watch(0).Wait(0) {
		t.Error("there is no such process")
	}
}
