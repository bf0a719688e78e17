package fuse

import (
	"strings"
	"testing"
	"time"
)

// TestForeignPIDs: where the kernel's pids are another namespace's, no reply is
// given by ancestry, and nothing is said of the caller but uid and gid. The probe
// here looks up from a grandchild, so its pid is not the child's.
func TestForeignPIDs(t *testing.T) {
	m := mount(t, serving{Options: settings{Probe: []string{"sh", "-c", `stat "$0"; true`}}})
	time.Sleep(2 * probeDelay)
	eventually(t, func() bool {
		out, _, _ := m.sh(t, "bash", `echo '{"q":"x"}' > $M/recall; cat $M/recall`)
		return strings.Contains(out, `"help"`)
	})
	out, _, _ := m.sh(t, "bash", `echo '{"q":"y"}' > $M/s/one/recall; cat $M/s/one/recall; exec 3<>$M/recall; echo '{"q":"z"}' >&3; cat <&3`)
	if !strings.Contains(out, `"q":"y"`) || !strings.Contains(out, `"q":"z"`) || !strings.Contains(out, `"pid":0`) {
		t.Errorf("session path and same descriptor: %q", out)
	}
}

// TestOwnPIDs: the usual probe leaves ancestry on.
func TestOwnPIDs(t *testing.T) {
	m := mount(t, serving{})
	time.Sleep(2 * probeDelay)
	if out, _, _ := m.sh(t, "bash", `echo '{"q":"x"}' > $M/recall; cat $M/recall`); !strings.Contains(out, `"q":"x"`) {
		t.Errorf("%q", out)
	}
}

// TestDrain: a request that runs while the mount is taken off is finished and
// answered; none begins after.
func TestDrain(t *testing.T) {
	m := mount(t, serving{})
	answered := make(chan string)
	go func() {
		out, errs, _ := m.sh(t, "bash", `exec 3<>$M/commit; echo '{"q":"last","sleep":800}' >&3; cat <&3; echo '{"q":"after"}' >&3`)
		answered <- out + errs
	}()
	time.Sleep(300 * time.Millisecond)
	if got := m.ask(t, "unmount"); got != "unmounted: <nil>" {
		t.Error(got)
	}
	got := <-answered
	if !strings.Contains(got, `"q":"last"`) || !strings.Contains(got, "Connection refused") {
		t.Errorf("%q", got)
	}
}

func TestRefusals(t *testing.T) {
	point := mountpoint(t)
	for at, want := range map[string]string{
		point + "/nothing": "no such directory",
		"/etc/passwd":      "not a directory",
	} {
		if _, line := start(t, serving{Point: at}); !strings.Contains(line, want) {
			t.Errorf("%s: %q", at, line)
		}
	}
}
