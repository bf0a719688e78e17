package main_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestStatusOfAnother: status shows a user no path of the one who mounted, and that
// one all of them.
func TestStatusOfAnother(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root can be another user")
	}
	m := newMount(t, "store:\n  no_such_key: 1\n", "--allow-other")
	for at := m.dir; at != "/"; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err != nil || info.Mode().Perm()&1 == 0 {
			t.Skipf("others can't enter %s", at)
		}
	}
	cat := exec.Command("cat", m.mnt+"/status")
	cat.Dir, cat.SysProcAttr = "/", &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54321, Gid: 54321}}
	theirs, err := cat.CombinedOutput()
	if err != nil || !strings.Contains(string(theirs), `"ok":`) {
		t.Fatalf("%v: %s", err, theirs)
	}
	if shown := strings.ReplaceAll(string(theirs), m.mnt, ""); strings.Contains(shown, m.dir) {
		t.Errorf("another user is shown %s", theirs)
	}
	if own := m.must("cat $MNT/status"); !strings.Contains(own, m.work+"/.rnix/memory.yaml") {
		t.Errorf("the user is not shown what is wrong: %s", own)
	}
}
