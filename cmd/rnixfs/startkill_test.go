package main_test

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// TestKilledAtStart kills the daemon in its first moments, while callers ask: each of
// them gets an error within two seconds, and the next start takes over.
// RNIXFS_START_KILLS raises the number of kills.
func TestKilledAtStart(t *testing.T) {
	kills, err := strconv.Atoi(os.Getenv("RNIXFS_START_KILLS"))
	if err != nil {
		kills = 16
	}
	m := newFolders(t, "")
	needFuse(t)
	if err := os.Mkdir(m.mnt, 0o755); err != nil { // else it is gone at times, and callers find nothing
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = syscall.Unmount(m.mnt, syscall.MNT_FORCE) // frees the callers that hang
		unmount(m.mnt)
	})
	early, hung := 0, 0
	for i := range kills {
		daemon := exec.Command(binary, "mount", "-f", "--project", m.work, m.mnt)
		daemon.Dir, daemon.Env = m.work, m.env
		if err := daemon.Start(); err != nil {
			t.Fatal(err)
		}
		var stop, answered atomic.Bool
		var callers sync.WaitGroup
		for range 4 {
			callers.Go(func() {
				for !stop.Load() {
					if raw, err := os.ReadFile(filepath.Join(m.mnt, "status")); err == nil && len(raw) > 0 {
						answered.Store(true)
					}
					time.Sleep(100 * time.Microsecond)
				}
			})
		}
		if i%2 == 0 { // at any moment
			time.Sleep(time.Duration(rand.IntN(250_000)) * time.Microsecond)
		} else { // when the mount has just appeared
			for end := time.Now().Add(time.Minute); !mountedAt(m.mnt) && time.Now().Before(end); {
				time.Sleep(50 * time.Microsecond)
			}
			time.Sleep(time.Duration(rand.IntN(3000)) * time.Microsecond)
		}
		if err := daemon.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		stop.Store(true)
		done := make(chan struct{})
		go func() {
			defer close(done)
			callers.Wait()
			_ = daemon.Wait()
		}()
		select {
		case <-done:
		case <-time.After(20 * time.Second):
			hung++
			t.Errorf("kill %d: callers still wait after twenty seconds", i)
			_ = syscall.Unmount(m.mnt, syscall.MNT_FORCE)
			<-done
		}
		if !answered.Load() {
			early++
		}
		m.mount()
		if got := m.must("cat $MNT/status"); !strings.Contains(got, `"pid":`) {
			t.Fatalf("kill %d: the next start serves %q", i, got)
		}
		unmount(m.mnt)
	}
	if early == 0 {
		t.Error("it had always answered before it was killed")
	}
	t.Logf("%d kills, %d before the first answer; in %d callers hung", kills, early, hung)
}

func mountedAt(point string) bool {
	raw, err := os.ReadFile("/proc/self/mountinfo")
	return err == nil && strings.Contains(string(raw), " "+point+" ")
}
