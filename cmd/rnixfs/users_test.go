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
		swapping.Go(func() {
			for ; ; swaps++ {
				select {
				case <-done:
					return
				case <-time.After(time.Duration(swaps%7) * 100 * time.Microsecond):
					_ = unix.Renameat2(unix.AT_FDCWD, swapped, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
				}
			}
		})
		out, _ := m.as(ada, "ada/.git", fmt.Sprintf(`exec 2>&1; i=0; while [ $i -lt %d ]; do i=$((i+1)); case $i in
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
