package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestSharedFolder: two daemons, processes without a mount and an editor on one
// folder. The limit holds to the rune, no acknowledged entry is lost, and the
// edit by hand is taken in.
func TestSharedFolder(t *testing.T) {
	const size, fits = 100, 60
	config := fmt.Sprintf("store:\n  memory_char_limit: %d\n", size*fits)
	a := pinned(t, config)
	b := *a
	b.mnt = filepath.Join(a.dir, "mnt2")
	b.env = append(append([]string{}, a.env...), "RNIXFS_MOUNTPOINT="+b.mnt, "MNT="+b.mnt)
	b.mount()
	t.Cleanup(func() { unmount(b.mnt) })

	a.must("rnixfs commit capacity") // makes the folder
	// The editor writes first: its entry takes a tenth of the room.
	byHand := strings.Repeat("é", size*fits/10)
	edited := filepath.Join(a.work, ".rnix", "memory", "by-hand.md")
	if err := os.WriteFile(edited, []byte(byHand+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	a.waitFor(`rnixfs commit snapshot | grep -c éé`, "1\n")
	b.waitFor(`rnixfs commit snapshot | grep -c éé`, "1\n")

	var stored atomic.Int64
	var wg sync.WaitGroup
	for w := range 16 {
		m := []*mount{a, &b}[w%2]
		wg.Go(func() {
			for i := range fits {
				text := fmt.Sprintf("%02d-%02d-%s", w, i, strings.Repeat("x", size-6))
				if w >= 14 { // a process of its own, without a mount
					cmd := `RNIXFS_MOUNTPOINT=/nowhere rnixfs commit add "` + text + `" --json`
					if i < 4 {
						if out, rc := m.run(m.work, "", "sh", "-c", cmd); rc == 0 {
							stored.Add(1)
						} else if !strings.Contains(out, "over_limit") {
							t.Errorf("without a mount: exit %d: %s", rc, out)
						}
					}
					continue
				}
				raw, _ := json.Marshal(map[string]string{"action": "add", "content": text})
				if err := os.WriteFile(filepath.Join(m.mnt, "commit"), raw, 0); err == nil {
					stored.Add(1)
				} else if !strings.Contains(err.Error(), "quota") {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if got := stored.Load(); got != fits*9/10 {
		t.Errorf("%d entries were acknowledged; exactly %d fit", got, fits*9/10)
	}
	for _, m := range []*mount{a, &b} {
		var reply struct {
			Used, Remaining int
			Entries         []struct{ Content string }
		}
		if err := json.Unmarshal([]byte(m.must("rnixfs commit list --json")), &reply); err != nil {
			t.Fatal(err)
		}
		if reply.Used != size*fits || reply.Remaining != 0 || len(reply.Entries) != fits*9/10+1 {
			t.Errorf("%s: used %d of %d, %d entries", m.mnt, reply.Used, size*fits, len(reply.Entries))
		}
	}
	if out, rc := a.sh("rnixfs check"); rc != 0 {
		t.Errorf("check: %s", out)
	}
}

// waitFor runs a script until it prints want.
func (m *mount) waitFor(script, want string) {
	m.t.Helper()
	var got string
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got, _ = m.sh(script); got == want {
			return
		}
	}
	m.t.Fatalf("%s: got %q, want %q", script, got, want)
}

// TestRudeVisitors: what tools do to files leaves the devices as they are.
func TestRudeVisitors(t *testing.T) {
	m := newMount(t, "")
	m.must(`rnixfs commit add "still here" --key here`)
	// Sizes are left out: that of status differs at each look.
	const list = `cd $MNT && stat -c '%A %h %U %G %n' *`
	before := m.must(list)
	const refused, accepted, whatever = "refused", "accepted", ""
	for _, v := range []struct{ script, want string }{
		{`mv $MNT/commit $MNT/moved`, refused},
		{`mv $MNT/commit moved`, refused},
		{`rm -f $MNT/commit`, refused},
		{`rm -rf $MNT/s`, refused},
		{`rmdir $MNT/s`, refused},
		{`ln $MNT/commit $MNT/link`, refused},
		{`ln -s x $MNT/link`, refused},
		{`touch $MNT/new`, refused},
		{`mkdir $MNT/dir`, refused},
		{`mknod $MNT/fifo p`, refused},
		{`touch $MNT/commit`, accepted},
		{`chmod 600 $MNT/commit`, accepted},
		{`chown 12345 $MNT/commit`, refused},
		{`truncate -s 0 $MNT/commit`, accepted},
		{`truncate -s 1000 $MNT/recall`, accepted},
		{`: > $MNT/commit`, accepted},
		{`find $MNT -type f -exec cat {} + >/dev/null`, accepted},
		{`timeout 20 grep -r nothing-like-it $MNT; [ $? -le 1 ]`, accepted},
		{`ls -lR $MNT >/dev/null`, accepted},
		{`tar -cf /dev/null -C $MNT .; [ $? -le 1 ]`, accepted},
		{`du -s $MNT >/dev/null`, accepted},
		{`df $MNT >/dev/null && df $MNT/profile >/dev/null`, accepted},
		{`sed -i s/a/b/ $MNT/commit`, refused},
		{`cp -r $MNT copy`, accepted},
		{`stat $MNT/commit >/dev/null`, accepted},
		{`head -c 1000 /dev/urandom > $MNT/commit`, refused},
		{`dd if=/dev/zero of=$MNT/commit bs=1 count=10 status=none`, refused},
		{`git -C $MNT status`, refused},
		{`cat $MNT/.hidden`, refused},
		{`echo x > $MNT/status`, refused},
		{`(ulimit -n 12000 2>/dev/null; python3 -c '
import os
fds = []
try:
    for i in range(10000): fds.append(os.open(os.environ["MNT"] + "/commit", os.O_WRONLY))
except OSError as e: print(e)
for f in fds:
    try: os.write(f, b"{\"action\":")
    except OSError: pass
')`, whatever},
	} {
		out, rc := m.sh(v.script)
		if v.want == refused && rc == 0 || v.want == accepted && rc != 0 {
			t.Errorf("%s: exit %d, want it %s: %s", v.script, rc, v.want, out)
		}
		if after := m.must(list); after != before {
			t.Fatalf("%s changed the mount:\n%s\nwas:\n%s", v.script, after, before)
		}
	}
	if got := m.snapshot(); got != "still here\n" {
		t.Errorf("memory is %q", got)
	}
	raw, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", m.pid()))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(raw)) {
		var kb int
		if n, _ := fmt.Sscanf(line, "VmRSS: %d kB", &kb); n == 1 && kb > 400<<10 {
			t.Errorf("the daemon's memory grew to %d MiB", kb>>10)
		}
	}
}
