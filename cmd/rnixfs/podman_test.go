package main_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// machine is a mount namespace with a /run and a /dev of its own: the devices are where
// they are by default, podman runs containers in it, and every mount vanishes with it.
type machine struct {
	*mount
	pid string // of the process that holds the namespace
}

// newMachine skips the test where no container can be run.
func newMachine(t *testing.T) *machine {
	t.Helper()
	needFuse(t)
	if os.Getuid() != 0 {
		t.Skip("only root can make containers here")
	}
	for _, name := range []string{"podman", "runc", "unshare", "nsenter", "jq"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	m := &machine{mount: newFolders(t, "")}
	m.env = slices.DeleteFunc(m.env, func(s string) bool { return strings.HasPrefix(s, "RNIXFS_MOUNTPOINT=") })
	m.env = append(m.env, "STORAGE_DRIVER=vfs", "MNT=/run/rnix/memory", "RNIXFS="+binary)
	holder := exec.Command("unshare", "--mount", "sh", "-ec", `mount -t tmpfs tmpfs /run
		mount -t tmpfs -o mode=755 tmpfs /dev
		mkdir /dev/shm /dev/pts /dev/mqueue
		ln -s /proc/self/fd /dev/fd
		set -- null 1 3 zero 1 5 full 1 7 random 1 8 urandom 1 9 tty 5 0 fuse 10 229
		while [ $# -gt 0 ]; do mknod -m 666 /dev/$1 c $2 $3; shift 3; done
		mkdir -p /run/c/opt /run/c/rootfs/root
		cp $RNIXFS /run/c/opt
		for d in bin lib lib64 sbin; do [ ! -L /$d ] || cp -P /$d /run/c/rootfs; done
		echo made
		read -r end`)
	holder.Env = m.env
	in, ierr := holder.StdinPipe()
	out, err := holder.StdoutPipe()
	if err = errors.Join(ierr, err, holder.Start()); err != nil {
		t.Fatal(err)
	}
	m.pid = strconv.Itoa(holder.Process.Pid)
	t.Cleanup(func() {
		out, _ := m.host("jq .pid /run/rnix/memory/status 2>/dev/null")
		daemon, _ := strconv.Atoi(strings.TrimSpace(out)) // none: the test ended it
		m.host("podman --root /run/c/store --runroot /run/c/run rm -fa -t0; rnixfs umount --lazy")
		waitEnd(daemon)
		in.Close()
		_ = holder.Wait()
	})
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Skip("no file system can be mounted here")
	}
	if out, rc := m.container(nil, "true"); rc != 0 {
		t.Skipf("podman can run no container here: %s", out)
	}
	return m
}

// host runs a script on the machine, in the project.
func (m *machine) host(script string) (string, int) {
	m.t.Helper()
	return m.run(m.work, "", "nsenter", "--target", m.pid, "--mount", "--wd="+m.work, "sh", "-c", script)
}

// podman is the command of a container that runs a script, with more options.
func (m *machine) podman(opts []string, script string) []string {
	args := sandboxes[1].args("/run/c/rootfs", [][2]string{{"/run/c/opt", "/opt"}}, "/")
	end := len(args) - 2 // --rootfs DIR
	opts = append([]string{"-i", "-e", "PATH=/opt:/usr/bin:/bin:/usr/sbin", "-e", "HOME=/root", "-e", "RNIXFS_MOUNTPOINT"}, opts...)
	args = slices.Concat(args[:end], opts, args[end:], []string{"sh", "-c", script})
	return append([]string{"nsenter", "--target", m.pid, "--mount", "--wd=" + m.work}, args...)
}

// container runs a script in a new container.
func (m *machine) container(opts []string, script string) (string, int) {
	m.t.Helper()
	return m.run(m.work, "", m.podman(opts, script)...)
}

// talk starts a container that is given commands one by one; each prints a line.
func (m *machine) talk(opts []string) (inside func(command string) string) {
	m.t.Helper()
	args := m.podman(opts, `while read -r line; do echo "$(eval "$line" 2>&1 | tail -n 1)"; done`)
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = m.work, m.env
	in, ierr := cmd.StdinPipe()
	out, err := cmd.StdoutPipe()
	if err = errors.Join(ierr, err, cmd.Start()); err != nil {
		m.t.Fatal(err)
	}
	lines := bufio.NewReader(out)
	m.t.Cleanup(func() {
		in.Close()
		defer time.AfterFunc(time.Minute, func() { _ = cmd.Process.Kill() }).Stop() // it hangs: a test has failed
		_ = cmd.Wait()
	})
	return func(command string) string {
		m.t.Helper()
		fmt.Fprintln(in, command)
		line, err := lines.ReadString('\n')
		if err != nil && err != io.EOF {
			m.t.Fatal(err)
		}
		return strings.TrimSpace(line)
	}
}

// Options of podman.
var (
	slaved = []string{"-v", "/run/rnix:/run/rnix:rslave"}
	device = []string{"--device", "/dev/fuse", "--cap-add", "SYS_ADMIN"}
	mapped = []string{"--uidmap", "0:0:1", "--uidmap", "1:100001:1000"}
)

// asks writes a request, and reads its reply: by a child, and by the same process. That is
// PID 1 of its container.
const asks = `echo '{"action":"add","target":"global_memory","content":"Boats are blue."}' >$M/commit; jq .ok $M/commit
	echo '{"action":"capacity","target":"global_memory"}' >$M/commit; read -r reply <$M/commit; echo "$reply" | jq .ok; `

// mine says why a project is a caller's, and whether the pid and the container are known.
const (
	mine   = `jq -r '.you | .why, (.pid > 1 and (.container | length) == 64)' $MNT/status; `
	whyOwn = "the working directory is the container's own, no directory of this machine: this is the memory of this container alone"
)

// TestPodman is about containers, which podman runs.
func TestPodman(t *testing.T) {
	m := newMachine(t)
	if out, rc := m.host("rnixfs mount --allow-other --session-root"); rc != 0 {
		t.Fatal(out)
	}
	t.Run("ways", m.ways)
	t.Run("crosstalk", m.crosstalk)
	t.Run("heals", m.heals)
}

// ways are those in which a container reaches memory.
func (m *machine) ways(t *testing.T) {
	const own = "/run/rnix/memory/s/pod-7:/dev/memory"
	for _, c := range []struct {
		name   string
		opts   []string
		script string
		want   string
	}{
		{
			"the machine's mount, found by the command line", slaved, "M=$MNT; " + asks + "rnixfs mountpoint; rnixfs recall boats 2>&1 | grep -o 'Boats.*blue'; rnixfs doctor | grep -o '^ok *mount .*'; grep -o '/run/rnix/memory/[a-z]*' $M/context | sort -u | head -n 1",
			"true\ntrue\n/run/rnix/memory\nBoats are blue\nok    mount           /run/rnix/memory is mounted, and answers\n/run/rnix/memory/commit",
		},
		{"a user namespace", slices.Concat(slaved, mapped), "M=$MNT; " + asks + "cat /proc/self/uid_map | wc -l", "true\ntrue\n2"},
		{"another user in it", slices.Concat(slaved, mapped, []string{"--user", "7"}), `M=$MNT; echo '{"action":"add","content":"Likes boats."}' >$M/profile; jq .ok $M/profile; rnixfs --mountpoint $M profile snapshot`, "true\nLikes boats."},
		{"the project by its bind", slices.Concat(slaved, []string{"-v", m.work + ":/work", "-w", "/work"}), mine + `echo '{"action":"add","content":"Of the project."}' >$MNT/commit; jq .ok $MNT/commit`, "the working directory is bound from " + m.work + ", which lies in it\ntrue\ntrue"},
		{"a volume", slices.Concat(slaved, []string{"-v", "data:/data", "-w", "/data"}), mine, whyOwn + "\ntrue"},
		{"another user in a directory of its own", slices.Concat(slaved, mapped, []string{"--user", "7"}), mine + `echo '{"action":"add","content":"Of user 7."}' >$MNT/commit; jq .ok $MNT/commit; echo '{"action":"snapshot"}' >$MNT/commit; jq -r .snapshot $MNT/commit`, whyOwn + "\ntrue\ntrue\nOf user 7."},
		{"the mount by itself", []string{"-v", "/run/rnix/memory:/dev/memory"}, "M=/dev/memory; " + asks + "rnixfs doctor | grep -o 'copy by itself'", "true\ntrue\ncopy by itself"},
		{"a tree of its own", []string{"-v", own}, `echo '{"action":"add","content":"Of the pod."}' >/dev/memory/session; jq .ok /dev/memory/session; cd /dev/memory/..; pwd; ls -d commit s 2>&1 | wc -l`, "true\n/dev\n2"},
		{"a mount inside, as from the machine's", device, "rnixfs mount && readlink /dev/memory; M=/dev/memory; " + asks + "rnixfs umount; ls /dev/memory 2>&1 | wc -l", "/run/rnix/memory\ntrue\ntrue\n1"},
		{"without the capability", device[:2], "rnixfs mount 2>&1 | grep -o 'operation not permitted'", "operation not permitted"},
	} {
		if out, _ := m.container(c.opts, c.script); strings.TrimSpace(out) != c.want {
			t.Errorf("%s: %s; want %s", c.name, out, c.want)
		}
	}
}

// heals: the daemon is killed, and a container that was given the folder around
// the mount sees the next one. One that was given the mount is told that it does not.
func (m *machine) heals(t *testing.T) {
	must := func(script string) {
		t.Helper()
		if out, rc := m.host(script); rc != 0 {
			t.Fatalf("%s: %s", script, out)
		}
	}
	heals := m.talk(slaved)
	broken := m.talk([]string{"-v", "/run/rnix/memory:/dev/memory"})
	const ask = `rnixfs --mountpoint $(rnixfs mountpoint) recall boats 2>&1 | grep -o -e 'Boats are blue' -e 'not connected' -e 'has died'`
	for _, inside := range []func(string) string{heals, broken} {
		if got := inside(ask); got != "Boats are blue" {
			t.Fatalf("before: %q", got)
		}
	}
	must(`kill -9 $(jq .pid /dev/memory/status); until [ "$(rnixfs mountpoint --state)" = stale ]; do sleep 0.02; done; rnixfs mount`)
	if got := heals(ask); got != "Boats are blue" {
		t.Errorf("after the daemon was killed: %q", got)
	}
	if got := broken("rnixfs doctor | grep -o 'mount .* broken$'"); !strings.Contains(got, "/dev/memory is a copy") {
		t.Errorf("the mount by itself: %q", got)
	}
	must("rnixfs umount && rnixfs mount")
	if got := heals(ask); got != "Boats are blue" {
		t.Errorf("after the daemon was ended: %q", got)
	}
}

// crosstalk has many shells in many containers ask at once, in two projects that
// they all see at the same path: no reply is another's. RNIXFS_CROSSTALK_ROUNDS scales it.
func (m *machine) crosstalk(t *testing.T) {
	const containers, shells = 8, 8
	rounds := 10
	if n, err := strconv.Atoi(os.Getenv("RNIXFS_CROSSTALK_ROUNDS")); err == nil {
		rounds = n
	}
	if out, rc := m.host(`for p in even odd; do mkdir -p ../$p/.rnix; (cd ../$p && rnixfs commit put whose "of $p"); done`); rc != 0 {
		t.Fatal(out)
	}
	var all sync.WaitGroup
	for c := range containers {
		all.Go(func() {
			project := []string{"even", "odd"}[c%2]
			opts := append([]string{"-v", filepath.Join(m.dir, project) + ":/work", "-w", "/work"}, slaved...)
			out, rc := m.container(opts, fmt.Sprintf(`cd /work
				ask() { echo "$1" 2>/dev/null >$MNT/commit; read -r reply <$MNT/commit; case $reply in *"$2"*) echo own ;; *) echo "$1: $reply" ;; esac; }
				for s in $(seq %d); do
					for r in $(seq %d); do
						ask '{"action":"get","key":"'%d-$s-$r'"}' 'not found: \"'%[3]d-$s-$r'\"'
						ask '{"action":"get","key":"whose"}' '"content":"of %[4]s"'
					done &
				done
				wait`, shells, rounds, c, project))
			if own := strings.Count(out, "own\n"); rc != 0 || own != 2*shells*rounds {
				t.Errorf("container %d: exit %d, %d replies of its own of %d: %.500s", c, rc, own, 2*shells*rounds, strings.ReplaceAll(out, "own\n", ""))
			}
		})
	}
	all.Wait()
}
