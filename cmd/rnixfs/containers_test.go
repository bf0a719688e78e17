package main_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// sandboxes run a command in a root directory of its own, which has the programs of this
// machine and what is bound; "" is a tmpfs. Errors of the start alone are returned.
var sandboxes = []struct {
	name string
	own  string // what is said of a directory of its own
	args func(root string, binds [][2]string, cwd string) []string
}{
	{"bwrap", `"denied"`, func(_ string, binds [][2]string, cwd string) []string {
		args := []string{"bwrap", "--unshare-pid", "--proc", "/proc", "--dev", "/dev"}
		for _, name := range programs {
			if to, err := os.Readlink("/" + name); err == nil {
				args = append(args, "--symlink", to, "/"+name)
			} else {
				args = append(args, "--ro-bind-try", "/"+name, "/"+name)
			}
		}
		for _, b := range binds {
			if b[0] == "" {
				args = append(args, "--tmpfs", b[1])
			} else {
				args = append(args, "--bind", b[0], b[1])
			}
		}
		return append(args, "--chdir", cwd)
	}},
	{"podman", `"snapshot":""`, func(root string, binds [][2]string, cwd string) []string {
		args := []string{
			"podman", "--root", root + "/../store", "--runroot", root + "/../run", "--cgroup-manager", "cgroupfs",
			"run", "--rm", "--network", "none", "--ulimit", "nofile=1024:4096", "--ulimit", "nproc=1000:1000", "-e", "MNT", "-w", cwd,
		}
		if _, err := exec.LookPath("runc"); err == nil { // crun wants newer cgroups
			args = slices.Insert(args, 1, "--runtime", "runc")
		}
		for _, name := range programs {
			if to, err := os.Readlink("/" + name); err == nil {
				_ = os.Symlink(to, filepath.Join(root, name)) // there from the last time
			} else if _, err := os.Stat("/" + name); err == nil {
				args = append(args, "-v", "/"+name+":/"+name+":ro")
			}
		}
		for _, b := range binds {
			if b[0] == "" {
				args = append(args, "--mount", "type=tmpfs,notmpcopyup,destination="+b[1])
			} else {
				args = append(args, "-v", b[0]+":"+b[1])
			}
		}
		return append(args, "--rootfs", root)
	}},
}

// programs are the directories of the system's programs.
var programs = []string{"bin", "lib", "lib64", "sbin", "usr"}

// TestContainers asks in containers for the project's memory: a caller has the project of
// the directory that it works in, by whatever path it sees that, and where the directory is
// the container's own, the container's memory or none.
func TestContainers(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to make containers")
	}
	m := newMount(t, "")
	m.must(`cd ..; mkdir -p shop/.git shop/part/deep shop/inner/.rnix other/.git other/sub none own/x rootfs; ln -s ../other/sub shop/link
		mkdir -p tree shop/.git/worktrees/tree; echo "gitdir: $PWD/shop/.git/worktrees/tree" > tree/.git; echo "$PWD/tree/.git" > shop/.git/worktrees/tree/gitdir
		for p in shop shop/inner other none; do cd $p; echo '{"action":"add","content":"text of '$(basename $p)'"}' > $MNT/commit; cd - >/dev/null; done`)
	at := func(name string) string { return filepath.Join(m.dir, name) }
	removeStore(t, at("store"))
	bound := func(names ...string) (binds [][2]string) {
		for _, name := range names {
			binds = append(binds, [2]string{at(name), at(name)})
		}
		return binds
	}
	with := func(binds [][2]string, from, to string) [][2]string { return append(binds, [2]string{from, to}) }
	cases := []struct {
		name, want string
		binds      [][2]string
		cwd        string
		project    string // that the request names
		before     string // what the shell does first
	}{
		{"at the same path", "text of shop", bound("shop"), at("shop"), "", ""},
		{"in a directory of it", "text of shop", bound("shop"), at("shop/part/deep"), "", ""},
		{"elsewhere", "text of shop", with(nil, at("shop"), "/work"), "/work", "", ""},
		{"a part of it", "text of shop", bound("shop/part"), at("shop/part"), "", ""},
		{"by a link of this machine's", "text of other", with(nil, at("other/sub"), at("shop/link")), at("shop/link"), "", ""},
		{"a project inside a project", "text of inner", bound("shop", "shop/inner"), at("shop/inner"), "", ""},
		{"the inner one alone", "text of inner", bound("shop/inner"), at("shop/inner"), "", ""},
		{"around the inner one", "own", bound("shop/inner"), at("shop"), "", ""},
		{"a request for the inner one", "text of inner", bound("shop"), at("shop"), at("shop/inner"), ""},
		{"a request for another inner one", "denied", with(bound("shop"), "", at("shop/inner")), at("shop"), at("shop/inner"), ""},
		{"a request for the inner one elsewhere", "text of inner", with(nil, at("shop"), "/work"), "/work", "/work/inner", ""},
		{"a request for a part elsewhere", "denied", with(nil, at("shop"), "/work"), "/work", "/work/part", ""},
		{"a request for another bind", "denied", with(with(nil, at("shop"), "/work"), at("other"), "/more"), "/work", "/more", ""},
		{"a request for another bind below", "denied", with(with(nil, at("shop"), "/work"), at("other"), "/work/part"), "/work", "/work/part", ""},
		{"a request for one of its own", "denied", with(with(nil, at("shop"), "/work"), "", "/work/inner"), "/work", "/work/inner", "mkdir inner/.git"},
		{"a request above the part", "denied", with(nil, at("shop/part"), "/work"), "/work", "/", ""},
		{"a tmpfs over it", "own", with(nil, "", at("shop")), at("shop"), "", ""},
		{"a tmpfs over a part", "own", with(bound("shop"), "", at("shop/part")), at("shop/part"), "", ""},
		{"a tmpfs over its memory", "text of shop", with(bound("shop"), "", at("shop/.rnix")), at("shop"), "", ""},
		{"another in its place", "text of other", with(nil, at("other"), at("shop")), at("shop"), "", ""},
		{"another around its part", "text of shop", with(with(nil, at("other"), at("shop")), at("shop/part"), at("shop/sub")), at("shop/sub"), "", ""},
		{"another project at the same path elsewhere", "text of other", with(nil, at("other"), "/work"), "/work", "", ""},
		{"a part elsewhere", "text of shop", with(nil, at("shop/part"), "/work"), "/work/deep", "", ""},
		{"a worktree elsewhere", "text of shop", with(nil, at("tree"), "/work"), "/work", "", ""},
		{"no project elsewhere", "text of none", with(nil, at("none"), "/work"), "/work", "", ""},
		{"a tmpfs elsewhere", "own", with(nil, "", "/work"), "/work", "", ""},
		{"the container's root", "own", nil, "/", "", ""},
		{"in no project", "text of none", bound("none"), at("none"), "", ""},
		{"in a project of its own", "own", with(with(nil, "", at("own")), at("own/x"), at("own/x")), at("own/x"), "", "mkdir ../.git"},
		{"a directory that is gone", "denied", bound("shop"), at("shop"), "", "mkdir gone; cd gone; rmdir ../gone"},
	}
	for _, s := range sandboxes {
		t.Run(s.name, func(t *testing.T) {
			root := at("rootfs")
			if _, err := exec.LookPath(s.name); err != nil {
				t.Skip(err)
			}
			m.needContainer(t, s.name, s.args)
			var all sync.WaitGroup
			slots := make(chan struct{}, 4) // what takes time is the start of a container
			for _, c := range cases {
				slots <- struct{}{}
				all.Go(func() {
					defer func() { <-slots }()
					script := fmt.Sprintf(`%s
						exec 3<>$MNT/commit; echo '{"action":"snapshot","project":"%s"}' 2>/dev/null >&3; cat <&3`, c.before, c.project)
					out, _ := m.run(m.work, "", append(s.args(root, with(c.binds, m.mnt, m.mnt), c.cwd), "sh", "-c", script)...)
					want := c.want
					if want == "own" {
						want = s.own
					}
					if !strings.Contains(out, want) || strings.Count(out, "text of") > 1 {
						t.Errorf("%s: %s; want %s", c.name, out, want)
					}
				})
			}
			all.Wait()
		})
	}
}

// TestContainerOwn: what a container remembers in a directory of its own is for itself, and
// a person finds it by the container's id when the container is gone.
func TestContainerOwn(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("needs root to make containers")
	}
	if _, err := exec.LookPath("podman"); err != nil {
		t.Skip(err)
	}
	m := newMount(t, "")
	m.needContainer(t, sandboxes[1].name, sandboxes[1].args)
	m.must(`mkdir ../rootfs`)
	removeStore(t, filepath.Join(m.dir, "store"))
	inside := func(script string) string {
		args := sandboxes[1].args(filepath.Join(m.dir, "rootfs"), [][2]string{{m.mnt, m.mnt}, {"", "/own"}}, "/own")
		out, rc := m.run(m.work, "", append(args, "sh", "-c", script)...)
		if rc != 0 {
			t.Skipf("no container can be run by podman: %s", out)
		}
		return out
	}
	own := inside(`mkdir .git; echo '{"action":"add","content":"of a container"}' > $MNT/commit; cat $MNT/status`)
	if other := inside(`echo '{"action":"snapshot"}' > $MNT/commit; cat $MNT/commit`); !strings.Contains(other, `"snapshot":""`) {
		t.Errorf("another container is told %s", other)
	}
	var s struct {
		You struct{ Project, Container, Why string }
	}
	if err := json.Unmarshal([]byte(own), &s); err != nil || len(s.You.Container) != 64 || !strings.Contains(s.You.Why, "of this container alone") {
		t.Errorf("%v: %s", err, own)
	}
	dir := filepath.Join(m.dir, "home/.local/share/rnix/containers", s.You.Container)
	if s.You.Project != dir {
		t.Errorf("%s, want %s", s.You.Project, dir)
	}
	out := m.must(`cd ` + dir + `; rnixfs commit list --json | jq -r '.entries[] | .content, .source.container'; rnixfs undo >/dev/null; rnixfs commit snapshot
		cd ..; ls | wc -l; cd ` + m.work + `; rnixfs commit snapshot`)
	if want := "of a container\n" + s.You.Container + "\n2\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
}

// TestProjectSwap exchanges the directories of two projects while callers in them ask:
// nobody gets the other's answer, nor writes into the other. RNIXFS_RACE_ROUNDS scales it.
func TestProjectSwap(t *testing.T) {
	rounds := 150
	if n, err := strconv.Atoi(os.Getenv("RNIXFS_RACE_ROUNDS")); err == nil {
		rounds = n
	}
	m := newMount(t, "")
	a, b := filepath.Join(m.dir, "alpha"), filepath.Join(m.dir, "beta")
	m.must(`mkdir -p ../alpha/.git ../alpha/deep ../beta/.git ../beta/deep`)
	done := make(chan struct{})
	var swapping, asking sync.WaitGroup
	swaps := 0
	var own, refused [2]int
	started := make(chan struct{}, 2)
	for i, name := range []string{"alpha", "beta"} {
		cmd := exec.Command("sh", "-c", fmt.Sprintf(`echo '{"action":"add","content":"text of %s"}' > $MNT/commit; echo started; i=0
			while [ $i -lt %d ]; do i=$((i+1)); case $i in
			*3) d=commit; q='{"action":"add","key":"planted","content":"planted by %[1]s"}';; *4) d=commit; q='{"action":"remove","key":"planted"}';;
			*5) d=recall; q='{"query":"text"}';; *) d=commit; q='{"action":"snapshot"}';; esac
			echo "$q" > $MNT/$d; read -r a < $MNT/$d; echo "$a"; done 2>/dev/null`, name, rounds))
		cmd.Dir, cmd.Env = filepath.Join(m.dir, name, "deep"), m.env
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		asking.Go(func() {
			lines := bufio.NewScanner(out)
			lines.Buffer(nil, 1<<20)
			for lines.Scan() {
				line := lines.Text()
				if line == "started" {
					started <- struct{}{}
				}
				if other := []string{"beta", "alpha"}[i]; strings.Contains(line, "of "+other) || strings.Contains(line, "by "+other) {
					t.Errorf("%s is told %s", name, line)
				}
				own[i] += strings.Count(line, "text of "+name)
				refused[i] += strings.Count(line, `"code":"denied"`)
			}
			_ = cmd.Wait() // some of the requests failed
		})
	}
	<-started
	<-started
	swapping.Go(func() {
		for {
			select {
			case <-done:
				return
			case <-time.After(time.Duration(swaps%7) * 100 * time.Microsecond):
				_ = unix.Renameat2(unix.AT_FDCWD, a, unix.AT_FDCWD, b, unix.RENAME_EXCHANGE)
				swaps++
			}
		}
	})
	asking.Wait()
	close(done)
	swapping.Wait()
	t.Logf("%d swaps; own answers %v, denied %v", swaps, own, refused)
	if own[0] == 0 || own[1] == 0 {
		t.Error("nothing was raced")
	}
}

// needContainer skips the test where a sandbox can't be had. It tries in a folder that may
// stay: what cleans up behind a container that did not start may still use it.
func (m *mount) needContainer(t *testing.T, name string, args func(root string, binds [][2]string, cwd string) []string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "rnixfs-container-")
	if err == nil {
		err = os.MkdirAll(dir+"/rootfs", 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	out, rc := m.run(m.work, "", append(args(dir+"/rootfs", nil, "/"), "true")...)
	_ = exec.Command("umount", "-l", dir+"/store/overlay").Run()
	_ = os.RemoveAll(dir)
	if rc != 0 {
		t.Skipf("no container can be run by %s: %s", name, out)
	}
}

// removeStore removes podman's store at the end of a test. What cleans up behind a container
// may still mount it anew.
func removeStore(t *testing.T, store string) {
	t.Cleanup(func() {
		for range 600 {
			for exec.Command("umount", "-l", store+"/overlay").Run() == nil {
			}
			if os.RemoveAll(store) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
	})
}
