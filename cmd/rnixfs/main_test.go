package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

// binary is the program under test, built once: what is mounted here is what a
// user runs, in a process of its own.
var binary string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	for _, sig := range []os.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT} {
		if signal.Ignored(sig) { // by nohup, or a shell's &: what is started here would ignore it, too
			signal.Notify(make(chan os.Signal, 1), sig)
		}
	}
	dir, err := os.MkdirTemp("", "rnixfs-test-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	binary = filepath.Join(dir, "rnixfs")
	build := exec.Command("go", "build", "-o", binary, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// needFuse skips a test where nothing can be mounted.
func needFuse(t *testing.T) {
	t.Helper()
	f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err != nil {
		t.Skipf("no mounts here: %v", err)
	}
	f.Close()
}

// secretToken is a made-up token of a form that the scanner knows. It is put
// together at run time, such that no source file holds anything like it.
func secretToken() string {
	const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
	b := []byte("gh" + "p_")
	for range 36 {
		b = append(b, letters[rand.IntN(len(letters))])
	}
	return string(b)
}

// TestScripts runs testdata/script: one documented behaviour a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.MkdirAll(filepath.Join(env.WorkDir, "project", ".rnix"), 0o755); err != nil {
				return err
			}
			env.Setenv("PATH", filepath.Dir(binary)+":"+os.Getenv("PATH"))
			env.Setenv("HOME", home)
			env.Setenv("XDG_RUNTIME_DIR", filepath.Join(env.WorkDir, "run"))
			env.Setenv("RNIXFS_MOUNTPOINT", filepath.Join(env.WorkDir, "mnt"))
			env.Setenv("MNT", filepath.Join(env.WorkDir, "mnt"))
			env.Setenv("SECRET", secretToken())
			env.Setenv("LONG", strings.Repeat("x", 60000))
			env.Cd = filepath.Join(env.WorkDir, "project")
			mnt := filepath.Join(env.WorkDir, "mnt")
			env.Defer(func() { unmount(mnt) })
			return os.MkdirAll(home, 0o755)
		},
		Condition: func(cond string) (bool, error) {
			if cond == "fuse" {
				f, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
				if err == nil {
					f.Close()
				}
				return err == nil, nil
			}
			if cond == "mount" { // file systems may be mounted, unseen by others
				return exec.Command("unshare", "--mount", "mount", "-t", "tmpfs", "tmpfs", "/mnt").Run() == nil, nil
			}
			if cond == "sandbox" {
				return sandboxed("true").Run() == nil, nil
			}
			return false, fmt.Errorf("unknown condition %q", cond)
		},
	})
}

// unmount takes a mount away whatever state it is in, and waits for its daemon to
// end: until then files in its folders may come and go.
func unmount(mnt string) {
	var status struct{ PID int }
	if raw, err := os.ReadFile(filepath.Join(mnt, "status")); err == nil {
		_ = json.Unmarshal(raw, &status)
	}
	_ = exec.Command(binary, "umount", "--lazy", mnt).Run()
	waitEnd(status.PID)
}

// waitEnd waits for a daemon to end; 0 is none.
func waitEnd(pid int) {
	for end := time.Now().Add(time.Minute); pid > 1 && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if syscall.Kill(pid, 0) != nil {
			return
		}
	}
}

// mount is a mount of the program, with folders of its own.
type mount struct {
	t    *testing.T
	dir  string // holds everything
	mnt  string
	work string // a project, where shells start
	env  []string
	args []string // more arguments of the mount command
}

// pinned makes a mount whose project is its own for every caller, this process
// included, whose working directory lies in another.
func pinned(t *testing.T, config string) *mount {
	t.Helper()
	needFuse(t)
	m := newFolders(t, config)
	m.args = []string{"--project", m.work}
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })
	return m
}

// newMount mounts with the given memory.yaml; "" stands for the defaults.
// args are more arguments of the mount command.
func newMount(t *testing.T, config string, args ...string) *mount {
	t.Helper()
	needFuse(t)
	m := newFolders(t, config)
	m.args = args
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })
	return m
}

// newFolders is a newMount that is not mounted yet.
func newFolders(t *testing.T, config string) *mount {
	t.Helper()
	dir := t.TempDir()
	m := &mount{t: t, dir: dir, mnt: filepath.Join(dir, "mnt"), work: filepath.Join(dir, "project")}
	for _, d := range []string{filepath.Join(m.work, ".rnix"), filepath.Join(dir, "home"), filepath.Join(dir, "run")} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if config != "" {
		if err := os.WriteFile(filepath.Join(m.work, ".rnix", "memory.yaml"), []byte(config), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	m.env = []string{
		"PATH=" + filepath.Dir(binary) + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home"),
		"XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"), "RNIXFS_MOUNTPOINT=" + m.mnt, "MNT=" + m.mnt, "LC_ALL=C.UTF-8",
		"TMPDIR=" + dir,
	}
	return m
}

func (m *mount) mount() {
	m.t.Helper()
	args := append([]string{binary, "mount"}, append(m.args, m.mnt)...)
	if out, rc := m.run(m.work, "", args...); rc != 0 {
		m.t.Fatalf("mount: exit %d: %s", rc, out)
	}
}

// run runs a command and returns its output, both streams, and its exit code.
func (m *mount) run(dir, stdin string, args ...string) (string, int) {
	m.t.Helper()
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Dir, cmd.Env = dir, m.env
	cmd.Stdin = strings.NewReader(stdin)
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = 30 * time.Second
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		m.t.Fatalf("%q: %v", args, err)
	}
	return out.String(), cmd.ProcessState.ExitCode()
}

// sh runs a script in the project.
func (m *mount) sh(script string) (string, int) {
	m.t.Helper()
	return m.run(m.work, "", "sh", "-c", script)
}

// must runs a script that has to succeed, and returns its output.
func (m *mount) must(script string) string {
	m.t.Helper()
	out, rc := m.sh(script)
	if rc != 0 {
		m.t.Fatalf("%s\nexit %d: %s", script, rc, out)
	}
	return out
}

// snapshot is the text of all entries of the project.
func (m *mount) snapshot() string {
	m.t.Helper()
	return m.must(`rnixfs commit snapshot`)
}
