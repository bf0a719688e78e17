package main_test

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestNotify plays systemd: it hears READY when the mount answers, signs of life, a reload
// as Type=notify-reload wants it, and STOPPING before the end.
func TestNotify(t *testing.T) {
	needFuse(t)
	m := newFolders(t, "")
	addr := &net.UnixAddr{Name: filepath.Join(m.dir, "notify"), Net: "unixgram"}
	heard, err := net.ListenUnixgram("unixgram", addr)
	if err != nil {
		t.Fatal(err)
	}
	defer heard.Close()
	hear := func(prefix string) string {
		t.Helper()
		buf := make([]byte, 4096)
		_ = heard.SetReadDeadline(time.Now().Add(2 * time.Minute))
		for {
			n, err := heard.Read(buf)
			if err != nil {
				t.Fatalf("no %s: %v", prefix, err)
			}
			if got := string(buf[:n]); strings.HasPrefix(got, prefix) {
				return got
			} else if got != "WATCHDOG=1" {
				t.Fatalf("heard %q, want %s", got, prefix)
			}
		}
	}
	// WATCHDOG_PID is known when the shell is; exec keeps it.
	daemon := exec.Command("sh", "-c", `WATCHDOG_PID=$$ exec rnixfs mount -f "$MNT"`)
	daemon.Env = append(m.env, "NOTIFY_SOCKET="+addr.Name, "WATCHDOG_USEC=200000")
	daemon.Dir = m.work
	if err := daemon.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unmount(m.mnt) })

	hear("READY=1")
	if _, err := os.ReadFile(filepath.Join(m.mnt, "status")); err != nil {
		t.Errorf("READY came before the mount answers: %v", err)
	}
	hear("WATCHDOG=1")
	hear("WATCHDOG=1")
	_ = daemon.Process.Signal(syscall.SIGHUP)
	var usec int64
	if _, err := fmt.Sscanf(hear("RELOADING=1"), "RELOADING=1\nMONOTONIC_USEC=%d", &usec); err != nil || usec <= 0 {
		t.Errorf("the time of the reload is %d: %v", usec, err)
	}
	hear("READY=1")
	_ = daemon.Process.Signal(syscall.SIGTERM)
	hear("STOPPING=1")
	if err := daemon.Wait(); err != nil {
		t.Error(err)
	}
}
