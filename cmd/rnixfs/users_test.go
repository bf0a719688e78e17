package main_test

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// ada and bob are users beside root on root's mount.
const ada, bob = 30001, 30002

// shared is root's mount, with a project of each user, in which an entry of theirs lies.
func shared(t *testing.T) *mount {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("needs root to be three users")
	}
	m := newMount(t, "", "--allow-other")
	if err := os.Chmod(filepath.Dir(m.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	for uid, name := range map[int]string{0: "root", ada: "ada", bob: "bob"} {
		dir := filepath.Join(m.dir, name)
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Mkdir(filepath.Join(dir, ".git"), 0o755); err != nil {
			t.Fatal(err)
		}
		m.must(fmt.Sprintf("chown -R %d:%d %s", uid, uid, dir))
		if out, _ := m.as(uid, name, `echo '{"action":"add","key":"own","content":"text of `+name+`"}' > $MNT/commit; jq -c .ok $MNT/commit`); out != "true\n" {
			t.Fatalf("%s: %s", name, out)
		}
	}
	return m
}

// as runs a script as a user in a directory.
func (m *mount) as(uid int, dir, script string) (string, int) {
	m.t.Helper()
	cmd := exec.Command("sh", "-c", script)
	cmd.Dir, cmd.Env = filepath.Join(m.dir, dir), m.env
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(uid)}}
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	_ = cmd.Run() // its status is returned
	return out.String(), cmd.ProcessState.ExitCode()
}

// owners are the names, owners and modes below a folder, and the texts of the entries.
func (m *mount) owners(dir string) string {
	m.t.Helper()
	return m.must(`cd ` + filepath.Join(m.dir, dir) + `; find . -printf '%p %u %m\n' | grep -v '\.tmp-' | sort; cat .rnix/memory/*.md`)
}

// TestLinkSwap swaps, while a user asks, a folder of theirs for a link to root's: root's
// memory is neither shown nor written, and nothing of root's changes its owner.
// RNIXFS_RACE_ROUNDS scales it.
func TestLinkSwap(t *testing.T) {
	rounds := 300
	if n, err := strconv.Atoi(os.Getenv("RNIXFS_RACE_ROUNDS")); err == nil {
		rounds = n
	}
	m := shared(t)
	before := m.owners("root")
	var ours, refused int
	for _, name := range []string{".rnix", ".rnix/memory", "."} {
		swapped := filepath.Clean(filepath.Join(m.dir, "ada", name))
		link := swapped + "-link"
		if err := os.Symlink(filepath.Join(m.dir, "root", name), link); err != nil {
			t.Fatal(err)
		}
		done := make(chan struct{})
		var swapping sync.WaitGroup
		swaps := 0
		started := filepath.Join(m.dir, "ada", ".git", "started")
		swapping.Go(func() {
			for there := false; !there; time.Sleep(time.Millisecond) { // the shell must not start in root's
				_, err := os.Stat(started)
				there = err == nil
			}
			_ = os.Remove(started)
			for ; ; swaps++ {
				select {
				case <-done:
					return
				case <-time.After(time.Duration(swaps%7) * 100 * time.Microsecond):
					_ = unix.Renameat2(unix.AT_FDCWD, swapped, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
				}
			}
		})
		out, _ := m.as(ada, "ada/.git", fmt.Sprintf(`: > started; exec 2>&1; i=0; while [ $i -lt %d ]; do i=$((i+1)); case $i in
			*5) q='{"action":"add","key":"planted","content":"planted by ada"}';; *6) q='{"action":"remove","key":"planted"}';; *) q='{"action":"snapshot"}';; esac
			echo "$q" > $MNT/commit; read -r a < $MNT/commit; echo "$a"; done`, rounds/3))
		close(done)
		swapping.Wait()
		if strings.Contains(out, "text of root") {
			t.Errorf("%s: root's memory was shown %d times", name, strings.Count(out, "text of root"))
		}
		ours += strings.Count(out, "text of ada")
		refused += strings.Count(out, `"code":"denied"`)
		t.Logf("%s: %d swaps, %d answers with ada's text, %d denied", name, swaps, strings.Count(out, "text of ada"), strings.Count(out, `"code":"denied"`))
		if st, err := os.Lstat(link); err == nil && st.IsDir() { // back in its place
			_ = unix.Renameat2(unix.AT_FDCWD, swapped, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
		}
		if err := os.Remove(link); err != nil {
			t.Fatal(err)
		}
	}
	if after := m.owners("root"); after != before {
		t.Errorf("root's folder was\n%s\nand is\n%s", before, after)
	}
	if ours == 0 || refused == 0 {
		t.Errorf("%d answers of ada's own, %d refused: nothing was raced", ours, refused)
	}
	if out, _ := m.as(ada, "ada", `rnix=$(ls -d .rnix) && echo '{"action":"snapshot"}' > $MNT/commit; cat $MNT/commit`); !strings.Contains(out, "text of ada") {
		t.Errorf("afterwards: %s", out)
	}
}

// TestOwnEvents: a user is told of changes in their own scopes, not in others', in the
// same project of the mount or in scopes of users.
func TestOwnEvents(t *testing.T) {
	m := shared(t)
	for uid, name := range map[int]string{0: "root", ada: "ada", bob: "bob"} {
		out, _ := m.as(uid, name, `echo '{"action":"add","target":"session","key":"of-`+name+`","content":"of `+name+`"}' > $MNT/s/same/commit
			jq -r .key $MNT/s/same/events | tr '\n' ' '; cat $MNT/events | jq -r .key`)
		if want := "own of-" + name + " own\n"; out != want {
			t.Errorf("%s is told of %q, not %q", name, out, want)
		}
	}
}

// TestPassedDescriptor: what was opened by one user is neither written nor read by
// another, who got the descriptor.
func TestPassedDescriptor(t *testing.T) {
	m := shared(t)
	runtime.LockOSThread() // the rights are the thread's
	defer runtime.UnlockOSThread()
	be := func(uid int) { _ = unix.Setfsuid(uid) }
	defer be(0)
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	opened := func(device string, flags int) int {
		be(ada)
		fd, err := unix.Open(filepath.Join(m.mnt, device), flags, 0)
		if err != nil {
			t.Fatal(err)
		}
		if err := unix.Sendmsg(pair[0], []byte{0}, unix.UnixRights(fd), nil, 0); err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
		var b, oob [64]byte
		_, n, _, _, err := unix.Recvmsg(pair[1], b[:], oob[:], 0)
		msgs, err2 := unix.ParseSocketControlMessage(oob[:n])
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		fds, err := unix.ParseUnixRights(&msgs[0])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { unix.Close(fds[0]) })
		return fds[0]
	}
	read := func(uid, fd int) (string, error) {
		be(uid)
		b := make([]byte, 4096)
		n, err := unix.Pread(fd, b, 0)
		return string(b[:max(n, 0)]), err
	}
	request := []byte(`{"action":"list","target":"global_memory"}`)
	both := opened("commit", unix.O_RDWR)
	be(bob)
	if _, err := unix.Write(both, request); err != unix.EACCES {
		t.Errorf("bob writes on ada's descriptor: %v", err)
	}
	be(ada)
	if _, err := unix.Write(both, request); err != nil {
		t.Errorf("ada writes on her own: %v", err)
	}
	reading := opened("status", unix.O_RDONLY)
	for _, fd := range []int{both, reading} {
		for _, uid := range []int{bob, 0} {
			if text, err := read(uid, fd); err != unix.EACCES {
				t.Errorf("uid %d reads on ada's descriptor: %.60q, %v", uid, text, err)
			}
		}
		if text, err := read(ada, fd); err != nil || !strings.Contains(text, `"ok":`) {
			t.Errorf("ada reads on her own: %.60q, %v", text, err)
		}
	}
}

// TestUnseenProcess: a server without root's rights can't look into every process of
// its own user. One that it can't is denied the project's memory, and is not taken for
// one that is in none.
func TestUnseenProcess(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to mount for a user")
	}
	if _, err := exec.LookPath("python3"); err != nil {
		t.Skip(err)
	}
	m := newFolders(t, "")
	device, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skip(err)
	}
	m.must(fmt.Sprintf(`mkdir $MNT; chmod 755 %s %s; cp /bin/sh %[3]s/unreadable; chown -R %d %[3]s; chmod 0111 %[3]s/unreadable`, filepath.Dir(binary), filepath.Dir(m.dir), m.dir, ada))
	options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%[2]d,default_permissions,max_read=524288", device.Fd(), ada)
	if err := unix.Mount("rnixfs", m.mnt, "fuse.rnix", unix.MS_NOSUID|unix.MS_NODEV, options); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(m.mnt, unix.MNT_DETACH) })
	cmd := exec.Command(binary, "mount", "-f", "/dev/fd/3")
	cmd.Dir, cmd.Env, cmd.ExtraFiles = m.work, m.env, []*os.File{device}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: ada, Gid: ada}}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = device.Close()
	t.Cleanup(func() { _ = unix.Unmount(m.mnt, unix.MNT_DETACH); _ = cmd.Wait() })
	const request = `echo '{"action":"snapshot"}' > $MNT/commit; jq -c '[.ok, .code]' $MNT/commit`
	for name, tc := range map[string]struct{ script, want string }{
		"seen":                {request, `[true,null]`},
		"not dumpable":        {`python3 -c 'import ctypes, os; ctypes.CDLL(None).prctl(4, 0); f = os.open(os.environ["MNT"] + "/commit", os.O_WRONLY); os.write(f, b"{\"action\":\"snapshot\"}")' 2>&1 | tail -n 1`, "Permission denied"},
		"not readable":        {`../unreadable -c '` + strings.ReplaceAll(request, "'", `'\''`) + `'`, `[false,"denied"]`},
		"global all the same": {`../unreadable -c 'echo "{\"action\":\"add\",\"target\":\"global_memory\",\"content\":\"x y\"}" > $MNT/commit && echo done'`, "done"},
	} {
		if out, _ := m.as(ada, "project", tc.script); !strings.Contains(out, tc.want) {
			t.Errorf("%s: %s", name, out)
		}
	}
}

// TestCrowding: while one user opens project after project, and holds descriptors with
// unfinished requests until there are no more, another's requests are answered.
func TestCrowding(t *testing.T) {
	m := shared(t)
	crowd := `for i in $(seq 100); do mkdir -p $0/$i/.git; cd $0/$i; echo '{"action":"add","content":"one of many"}' > $MNT/commit || echo refused; cd ../..; done`
	var crowding sync.WaitGroup
	for w := range 4 {
		crowding.Go(func() {
			if out, _ := m.as(ada, "ada", strings.ReplaceAll(crowd, "$0", fmt.Sprint("crowd", w))); out != "" {
				t.Errorf("crowd %d: %s", w, out)
			}
		})
	}
	// The half of 384 KiB each: 64 MiB of them are taken of one user (fuse.Limits).
	held := `exec 2>&1; python3 - <<'EOF'
import os
fds, refused = [], 0
for i in range(500):
    fds.append(os.open(os.environ["MNT"] + "/commit", os.O_WRONLY))
    try: os.write(fds[-1], b'{"action":"add","content":"' + b"x" * 190000)
    except OSError: refused += 1
print(refused > 100, flush=True)
import time; time.sleep(3)
EOF`
	crowding.Go(func() {
		if out, _ := m.as(ada, "ada", held); out != "True\n" {
			t.Errorf("unfinished requests: %s", out)
		}
	})
	begin := time.Now()
	out, _ := m.as(bob, "bob", `i=0; while [ $i -lt 100 ]; do i=$((i+1)); echo '{"action":"snapshot"}' > $MNT/commit; read -r a < $MNT/commit; echo "$a"; done`)
	if n := strings.Count(out, "text of bob"); n != 100 {
		t.Errorf("%d of 100 requests of bob's were answered: %.300s", n, out)
	}
	t.Logf("100 requests beside the crowd: %v", time.Since(begin))
	crowding.Wait()
	fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", m.pid()))
	if err != nil || len(fds) > 600 {
		t.Errorf("the server has %d descriptors open, %v", len(fds), err)
	}
	t.Logf("%d descriptors after 400 projects", len(fds))
}

// TestKnowledgeOfAnother: documents are searched by the user alone who mounts, also where
// root mounts for all.
func TestKnowledgeOfAnother(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to be two users")
	}
	m := newMount(t, "", "--allow-other")
	if err := os.Chmod(filepath.Dir(m.dir), 0o755); err != nil {
		t.Fatal(err)
	}
	m.must(`mkdir ../books; echo the zeppelin > ../books/a.md; rnixfs knowledge add ../books`)
	const ask = `exec 2>/dev/null; echo '{"query":"zeppelin","sources":["knowledge"]}' > $MNT/recall; jq -c '[.ok, .count, .code]' $MNT/recall; jq -c '[.ok, .code]' $MNT/knowledge; echo '{"action":"refresh"}' > $MNT/knowledge || echo no`
	if out := m.must(ask); out != "[true,1,null]\n[true,null]\n" {
		t.Errorf("who mounts is told %s", out)
	}
	out, _ := m.as(ada, "", ask)
	if out != `[false,0,"denied"]`+"\n"+`[false,"denied"]`+"\nno\n" {
		t.Errorf("another is told %s", out)
	}
}

// TestSquatting: what another user has put where a mount of one's own would go is not
// TestRootInAnothersProject: what root does in a user's project is that user's, by
// file owner and key, with the mount and without.
func TestRootInAnothersProject(t *testing.T) {
	m := shared(t)
	m.must(`cd ` + m.dir + `/ada; rnixfs check; echo '{"action":"add","content":"of root"}' > $MNT/commit; RNIXFS_MOUNTPOINT=$PWD/none rnixfs commit add "of root, too"; rnixfs check`)
	if out, _ := m.as(ada, "ada", `echo '{"action":"snapshot"}' > $MNT/commit; cat $MNT/commit`); !strings.Contains(out, `text of ada\nof root\nof root, too`) {
		t.Errorf("ada is shown %s", out)
	}
	if out := m.must(`cd ` + m.dir + `/ada; find .rnix -name '*foreign*' -o ! -uid 30001`); out != "" {
		t.Errorf("there is %s", out)
	}
}

// used, nor is a project that they laid around one's directory.
func TestSquatting(t *testing.T) {
	m := shared(t)
	m.must(fmt.Sprintf(`chmod 755 %s; cd %s; mkdir -m 1777 tmp; mkdir tmp/none; chown %d tmp/none`, filepath.Dir(binary), m.dir, bob))
	mine := fmt.Sprintf(`unset XDG_RUNTIME_DIR RNIXFS_MOUNTPOINT; export TMPDIR=%s/tmp; rnixfs mountpoint`, m.dir)
	if out, rc := m.as(bob, "bob", mine); rc != 0 || !strings.HasSuffix(out, "/tmp/rnix-30002/memory\n") {
		t.Errorf("before: exit %d, %s", rc, out)
	}
	inTmp := `echo '{"action":"add","content":"of none"}' > $MNT/commit; echo '{"action":"snapshot"}' > $MNT/commit; cat $MNT/commit`
	if out, _ := m.as(ada, "tmp", `mkdir -m 777 -p rnix-30002/memory .rnix/memory .git; echo planted > .rnix/memory/planted.md`); out != "" {
		t.Fatal(out)
	}
	if out, rc := m.as(bob, "bob", mine); rc == 0 || !strings.Contains(out, "could be another user's") {
		t.Errorf("squatted: exit %d, %s", rc, out)
	}
	if out, _ := m.as(bob, "tmp/none", inTmp); strings.Contains(out, "planted") || !strings.Contains(out, "of none") {
		t.Errorf("in a project of ada's around it: %s", out)
	}
}
