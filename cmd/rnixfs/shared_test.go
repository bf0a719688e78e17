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
	for end := time.Now().Add(15 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if got, _ = m.sh(script); got == want {
			return
		}
	}
	m.t.Fatalf("%s: got %q, want %q", script, got, want)
}

// roads are the ways by which a text can reach memory. Each script tries to
// plant the text in $SECRET and says so when it was refused: a road that a
// change to the program opens belongs in this list.
var roads = []struct{ name, script, refused string }{
	{"add", `echo '{"action":"add","content":"x '$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, key", `echo '{"action":"add","content":"x","key":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, tags", `echo '{"action":"add","content":"x","tags":["'$SECRET'"]}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, category", `echo '{"action":"add","content":"x","category":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, type", `echo '{"action":"add","content":"x","type":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, metadata", `echo '{"action":"add","content":"x","metadata":{"a":["'$SECRET'"]}}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, idempotency key", `echo '{"action":"add","content":"x","idempotency_key":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, escaped in JSON", `printf '{"action":"add","content":"x \\u0067%s"}' "${SECRET#g}" > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"add, allowed inline", `echo '{"action":"add","content":"x '$SECRET' // gitleaks:allow"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"global memory", `echo '{"action":"add","target":"global_memory","content":"x '$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"replace", `echo '{"action":"replace","key":"clean","new":"x '$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"batch", `echo '{"action":"batch","ops":[{"action":"add","content":"y"},{"action":"add","content":"x '$SECRET'"}]}' > $MNT/commit || jq -r .code $MNT/commit`, "rejected"},
	{"profile", `echo '{"action":"add","content":"x '$SECRET'"}' > $MNT/profile || jq -r .code $MNT/profile`, "rejected"},
	{"a session's tree", `echo '{"action":"add","content":"x '$SECRET'"}' > $MNT/s/one/commit || jq -r .code $MNT/s/one/commit`, "rejected"},
	{"a bad request", `echo '{"action":"add","contents":"x '$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "invalid"},
	{"a request cut off", `cp cut.json $MNT/commit || jq -r .code $MNT/commit`, "invalid"},
	{"an unknown action", `echo '{"action":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "invalid"},
	{"an unknown target", `echo '{"action":"add","content":"x","target":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "invalid"},
	{"remove what is not there", `echo '{"action":"remove","old":"'$SECRET'"}' > $MNT/commit || jq -r .code $MNT/commit`, "not_found"},
	{"the command line", `rnixfs commit add "x $SECRET" || echo $?`, "13"},
	{"the command line without a mount", `RNIXFS_MOUNTPOINT=/nowhere rnixfs commit add "x $SECRET" || echo $?`, "13"},
	{"a query", `echo '{"query":"'$SECRET'"}' > $MNT/recall; jq -r .count $MNT/recall`, "0"},
	{"a new file", `printf 'x %s\n' "$SECRET" > .rnix/memory/new.md; wait_for 'ls .rnix/memory/.rejected/*new*.json'`, "new"},
	{"a new file's front matter", `printf -- '---\ntags: [%s]\n---\nx\n' "$SECRET" > .rnix/memory/front.md; wait_for 'ls .rnix/memory/.rejected/*front*.json'`, "front"},
	{"a comment in front matter", `printf -- '---\n# the key is %s\ntags: [a]\n---\nx\n' "$SECRET" > .rnix/memory/comment.md; wait_for 'ls .rnix/memory/.rejected/*comment*.json'`, "comment"},
	{"a file's name", `echo x > ".rnix/memory/key $SECRET.md"; wait_for 'ls .rnix/memory/.rejected/name-withheld*.json'`, "name-withheld"},
	{"an id", `printf -- '---\nid: %s\n---\nx\n' "$SECRET" > .rnix/memory/withid.md; wait_for 'ls .rnix/memory/.rejected/*withid*.json'`, "withid"},
	{"an edited file", `sleep 0.2; printf 'x %s\n' "$SECRET" >> .rnix/memory/clean.md; wait_for 'ls .rnix/memory/.rejected/*clean*.json'; wait_for 'tail -n 1 .rnix/memory/clean.md | grep "a clean entry"'`, "a clean entry"},
	{"a turn of a conversation", `echo '{"action":"turn","session":"road","role":"user","content":"Remember that the key is '$SECRET' for ever."}' > $MNT/process; jq -c .masked $MNT/process`, "1"},
	{"the title of a conversation", `echo '{"action":"start","session":"'$SECRET'","title":"about '$SECRET'"}' > $MNT/process; cat $MNT/process; echo done`, "done"},
	{"what is learned at the end", `echo '{"action":"end","session":"road","exit_code":0,"reason":"'$SECRET'"}' > $MNT/process; wait_for 'jq -e "select(.writeback.queue == 0).ok" $MNT/status'`, "true"},
	{"an import", `printf '[{"role":"user","content":"the key is %s"},{"role":"assistant","content":"ok"}]' "$SECRET" > chat.json; rnixfs import chat.json; rm chat.json`, "masked"},
	{"a hook", `printf '{"type":"user","uuid":"u1","sessionId":"h1","timestamp":"2026-05-01T10:00:00Z","cwd":"%s","message":{"role":"user","content":"Remember: the key is %s"}}\n' "$PWD" "$SECRET" > h1.jsonl; printf '{"session_id":"h1","transcript_path":"%s/h1.jsonl","cwd":"%s","hook_event_name":"SessionEnd","reason":"exit"}' "$PWD" "$PWD" | rnixfs hook claude; wait_for 'rnixfs processes | grep -o claude'; wait_for 'jq -e "select(.writeback.queue == 0).ok" $MNT/status'; rm h1.jsonl`, "claude"},
	{"a value in memory.yaml", `printf 'store: {overflow_policy: %s}\n' "$SECRET" > .rnix/memory.yaml; wait_for 'jq -re .config.refused $MNT/status'; rm .rnix/memory.yaml`, "must be error"},
	{"a file of the reference system", `rnixfs umount; printf '§fine\n§x %s\n' "$SECRET" > .rnix/memory/MEMORY.md; rnixfs mount; rnixfs commit snapshot`, "fine"},
	{"a file changed while nothing ran", `rnixfs umount; printf 'x %s\n' "$SECRET" > .rnix/memory/away.md; rnixfs mount; rnixfs commit list >/dev/null; ls .rnix/memory/.rejected`, "away"},
}

// TestEveryRoadIsScanned sends a secret down every road. None keeps it, and each
// says so. Afterwards no file holds it: not the entries, the journal, the redo
// log, what was set aside, the log or the reply of any device.
func TestEveryRoadIsScanned(t *testing.T) {
	m := newMount(t, "")
	secret := secretToken()
	m.env = append(m.env, "SECRET="+secret)
	if err := os.WriteFile(filepath.Join(m.work, "cut.json"), []byte(`{"action":"add","content":"x `+secret), 0o600); err != nil {
		t.Fatal(err)
	}
	m.must(`rnixfs commit add "a clean entry" --key clean`)
	const waitFor = `wait_for() { i=0; while [ $i -lt 300 ]; do eval "$1" 2>/dev/null && return; sleep 0.05; i=$((i+1)); done; }; `
	for _, r := range roads {
		t.Run(r.name, func(t *testing.T) {
			m.t = t
			out, _ := m.sh("cd " + m.work + "; " + waitFor + r.script)
			if !strings.Contains(out, r.refused) {
				t.Errorf("it did not say %q: %s", r.refused, out)
			}
			if strings.Contains(out, secret) {
				t.Errorf("the answer shows the secret: %s", out)
			}
			for _, dev := range []string{"commit", "profile", "recall", "status"} {
				if body := m.must("cat $MNT/" + dev); strings.Contains(body, secret) {
					t.Errorf("%s shows the secret: %s", dev, body)
				}
			}
		})
	}
	m.t = t
	if got := m.must(`rnixfs commit snapshot; rnixfs commit snapshot -g; rnixfs profile snapshot`); strings.Contains(got, secret) || !strings.Contains(got, "a clean entry") {
		t.Errorf("what is stored: %q", got)
	}
	unmount(m.mnt)
	os.Remove(filepath.Join(m.work, "cut.json"))
	os.Remove(filepath.Join(m.work, ".rnix", "memory", "MEMORY.md.imported")) // the user's own file, kept as it was
	if out, rc := m.run(m.dir, "", "grep", "-rlF", secret, m.dir); rc == 0 {
		t.Errorf("files that hold the secret:\n%s", out)
	}
}

// TestRudeVisitors: what tools do to files leaves the devices as they are.
func TestRudeVisitors(t *testing.T) {
	m := newMount(t, "")
	m.must(`rnixfs commit add "still here" --key here`)
	before := m.must(`ls -l --time-style=+ $MNT | sed 's/ [0-9]* *[a-z]*$//'; ls $MNT`)
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
		/* 1: status differs at each look */ {`du -s $MNT >/dev/null`, accepted},
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
		if after := m.must(`ls -l --time-style=+ $MNT | sed 's/ [0-9]* *[a-z]*$//'; ls $MNT`); after != before {
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
