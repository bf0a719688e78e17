package attest

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// child runs a command until the test ends.
func child(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// both runs a test with pidfs, and as on a kernel without it.
func both(t *testing.T, test func(t *testing.T, a *Attester)) {
	for _, pidfs := range []bool{true, false} {
		t.Run("pidfs="+strconv.FormatBool(pidfs), func(t *testing.T) {
			if pidfs && !hasPidfs() {
				t.Skip("this kernel has none")
			}
			a := New("")
			a.pidfs = pidfs
			test(t, a)
		})
	}
}

func TestChain(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		cmd := child(t, "", "sleep", "60")
		for range 3 { // cold, and from the cache
			c := a.Chain(cmd.Process.Pid)
			if len(c) < 2 || c[0].PID != cmd.Process.Pid || c[1].PID != os.Getpid() {
				t.Fatalf("%+v", c)
			}
			if c[0].UID != uint32(os.Geteuid()) {
				t.Errorf("uid %d", c[0].UID)
			}
			own := a.Chain(os.Getpid())
			if diff := cmp.Diff([]Link(own), []Link(c[1:])); diff != "" {
				t.Error("what lies above a child is its parent's chain:", diff)
			}
		}
	})
}

func TestChainOfThread(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		got := make(chan int)
		go func() {
			runtime.LockOSThread() // the thread ends with the goroutine
			got <- unix.Gettid()
			<-got
		}()
		tid := <-got
		defer func() { got <- 0 }()
		if diff := cmp.Diff([]Link(a.Chain(os.Getpid())), []Link(a.Chain(tid))); diff != "" {
			t.Error("a thread has its process's chain:", diff)
		}
	})
}

// TestChainFollowsDeath: when a parent ends, the chain is another.
func TestChainFollowsDeath(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		cmd := exec.Command("sh", "-c", "sleep 60 & echo $!; read x")
		in, _ := cmd.StdinPipe()
		out, _ := cmd.StdoutPipe()
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		buf := make([]byte, 32)
		n, _ := out.Read(buf)
		pid, err := strconv.Atoi(strings.TrimSpace(string(buf[:n])))
		if err != nil {
			t.Fatal(err)
		}
		defer unix.Kill(pid, unix.SIGKILL)
		before := a.Chain(pid)
		if len(before) < 3 || before[1].PID != cmd.Process.Pid || !a.Alive(before[1]) {
			t.Fatalf("%+v", before)
		}
		in.Close()
		go func() { _, _ = io.Copy(io.Discard, out) }()
		_ = cmd.Process.Kill()
		_, _ = cmd.Process.Wait()
		if a.Alive(before[1]) {
			t.Error("the parent is dead")
		}
		after := a.Chain(pid)
		if len(after) == 0 || after[0] != before[0] || len(after) > 1 && after[1].PID == cmd.Process.Pid {
			t.Errorf("%+v", after)
		}
	})
}

func TestAliveZombie(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		cmd := exec.Command("sleep", "60")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		l := a.Chain(cmd.Process.Pid)[0]
		if !a.Alive(l) {
			t.Error("it lives")
		}
		if other := (Link{PID: l.PID, ID: l.ID + 1}); a.Alive(other) {
			t.Error("another process had that pid")
		}
		_ = cmd.Process.Kill()
		for range 100 {
			if st, ok := readStat(l.PID); ok && st.dead() {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		if a.Alive(l) {
			t.Error("a zombie is dead")
		}
		_ = cmd.Wait()
	})
}

func TestUnknown(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		for _, tid := range []int{0, -1, 1 << 30} {
			if c := a.Chain(tid); c != nil {
				t.Errorf("%d: %+v", tid, c)
			}
			c := a.Caller(7, tid)
			if c.UID != 7 || c.PID != 0 || c.Exe != "" || c.Trust != "agent" || !c.Unseen {
				t.Errorf("%d: %+v", tid, c)
			}
		}
	})
}

func TestCaller(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		dir := t.TempDir()
		if err := os.MkdirAll(dir+"/.rnix", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(dir+"/a/b", 0o755); err != nil {
			t.Fatal(err)
		}
		cmd := child(t, dir+"/a/b", "sleep", "60")
		sleep, _ := os.Readlink("/proc/" + strconv.Itoa(cmd.Process.Pid) + "/exe")
		for range 3 {
			c := a.Caller(7, cmd.Process.Pid)
			if c.PID != cmd.Process.Pid || c.Cwd != dir+"/a/b" || c.Project != dir || c.Unseen {
				t.Errorf("%+v", c)
			}
			if c.Exe != sleep {
				t.Errorf("exe %q", c.Exe)
			}
		}
		// A marker that appears in the working directory itself shows at once.
		if err := os.Mkdir(dir+"/a/b/.rnix", 0o755); err != nil {
			t.Fatal(err)
		}
		if c := a.Caller(7, cmd.Process.Pid); c.Project != dir+"/a/b" {
			t.Errorf("%+v", c)
		}
		// A directory that is gone is no place.
		if err := os.RemoveAll(dir + "/a"); err != nil {
			t.Fatal(err)
		}
		if c := a.Caller(7, cmd.Process.Pid); c.Project != "" || c.Cwd != "" || !c.Unseen {
			t.Errorf("removed: %+v", c)
		}
	})
}

func TestAvoid(t *testing.T) {
	a := New("")
	dir := t.TempDir()
	if err := os.MkdirAll(dir+"/m/.rnix", 0o755); err != nil {
		t.Fatal(err)
	}
	a.Avoid(dir + "/m")
	cmd := child(t, dir+"/m", "sleep", "60")
	if c := a.Caller(0, cmd.Process.Pid); c.Project != "" || c.Cwd != dir+"/m" || c.Unseen {
		t.Errorf("%+v", c)
	}
}

func TestPinned(t *testing.T) {
	a := New("/pinned")
	if c := a.Caller(0, os.Getpid()); c.Project != "/pinned" || c.Cwd == "" {
		t.Errorf("%+v", c)
	}
	if c := a.Caller(0, 0); c.Project != "/pinned" || c.Unseen {
		t.Errorf("%+v", c)
	}
}

// TestLongPlace: a project is found from however deep in it, and a directory that has
// no path (PATH_MAX) is not seen.
func TestLongPlace(t *testing.T) {
	dir := t.TempDir()
	if err := os.Mkdir(dir+"/.rnix", 0o755); err != nil {
		t.Fatal(err)
	}
	const deep = `for i in $(seq %d); do mkdir %[2]s && cd -P %[2]s || exit; done; echo there; exec sleep 60`
	for _, tt := range []struct {
		name    string
		depth   int
		project string
		unseen  bool
	}{{"d", 300, dir, false}, {strings.Repeat("long", 50), 30, "", true}} {
		cmd := exec.Command("bash", "-c", fmt.Sprintf(deep, tt.depth, tt.name))
		cmd.Dir = dir
		out, err := cmd.StdoutPipe()
		if err != nil || cmd.Start() != nil {
			t.Fatal(err)
		}
		if line, _ := bufio.NewReader(out).ReadString('\n'); line != "there\n" {
			t.Errorf("%q", line)
		}
		if c := New("").Caller(0, cmd.Process.Pid); c.Project != tt.project || c.Unseen != tt.unseen {
			t.Errorf("%d times %s: %q, unseen %v", tt.depth, tt.name, c.Project, c.Unseen)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	}
}

// TestNoDescriptors: callers leave no descriptors behind.
func TestNoDescriptors(t *testing.T) {
	both(t, func(t *testing.T, a *Attester) {
		count := func() int {
			fds, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			return len(fds)
		}
		before := count()
		for range 20 {
			cmd := exec.Command("sleep", "60")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			if c := a.Caller(0, cmd.Process.Pid); c.PID == 0 {
				t.Error("no caller")
			}
			a.Alive(a.Chain(cmd.Process.Pid)[0])
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
		if after := count(); after > before+3 {
			t.Errorf("%d descriptors, %d before", after, before)
		}
	})
}

// TestTrust runs a process at a terminal, as a person does, and below programs
// that are taken for agents, or in another mount namespace.
func TestTrust(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("needs script(1) for a terminal")
	}
	shell, err := os.ReadFile("/bin/sh")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"agentx", "plain"} {
		if err := os.WriteFile(dir+"/"+name, shell, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	defer func(known []string) { knownAgents = known }(knownAgents)
	knownAgents = []string{"agentx"} // whatever runs these tests is none
	both(t, func(t *testing.T, a *Attester) {
		for name, human := range map[string]bool{"./agentx": false, "./plain": true, "unshare -m ./plain": false} {
			if strings.HasPrefix(name, "unshare") && exec.Command("unshare", "-m", "true").Run() != nil {
				continue // no mount namespace can be made here
			}
			mark := dir + "/" + filepath.Base(name) + strconv.Itoa(len(name)) + ".pid"
			_ = os.Remove(mark)
			child(t, dir, script, "-qec", name+" -c 'sleep 60 & echo $! > "+mark+".new; mv "+mark+".new "+mark+"; wait'", "/dev/null")
			var pid int
			for range 6000 {
				if raw, err := os.ReadFile(mark); err == nil {
					pid, _ = strconv.Atoi(strings.TrimSpace(string(raw)))
					break
				}
				time.Sleep(10 * time.Millisecond)
			}
			if pid <= 0 { // 0 is this process's own group to kill(2)
				t.Fatalf("no process came up below %s", name)
			}
			c := a.Caller(0, pid)
			st, _ := readStat(pid)
			if st.tty == 0 || (c.Trust == memory.TrustHuman) != human {
				t.Errorf("below %s: %+v", name, c)
			}
			_ = unix.Kill(pid, unix.SIGKILL)
		}
	})
}
