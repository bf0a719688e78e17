package fuse

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.uber.org/goleak"
)

// The mount tests serve in a child process, this test binary run again: a process
// that uses its own mount can stop itself.
const serveEnv = "RNIXFS_TEST_SERVE"

// serving tells the child what to serve.
type serving struct {
	Point    string
	Baseline string // serve do-nothing files in place of the table: "plain" or "cached"
	Size     int    // of what they hold; 0: a line
	Options  settings
	Verbose  bool
}

// settings are the options that can be sent to a process.
type settings struct {
	AllowOther bool
	Deadline   time.Duration
	Pinned     string
	Limits     Limits
	Probe      []string
}

func TestMain(m *testing.M) {
	if spec := os.Getenv(serveEnv); spec != "" {
		os.Exit(serve(spec))
	}
	goleak.VerifyTestMain(m)
}

func serve(spec string) int {
	signal.Ignore(os.Interrupt)
	var s serving
	if err := json.Unmarshal([]byte(spec), &s); err != nil {
		fmt.Println("bad spec", err)
		return 2
	}
	if s.Baseline != "" {
		return serveBaseline(s)
	}
	o := s.Options
	opts := Options{AllowOther: o.AllowOther, Deadline: o.Deadline, Pinned: o.Pinned, Limits: o.Limits, Probe: o.Probe}
	if s.Verbose {
		opts.Logger = slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelDebug}))
	}
	srv, err := Mount(context.Background(), s.Point, newToys(), opts)
	if err != nil {
		fmt.Println("failed:", err)
		return 1
	}
	fmt.Println("ready")
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() { // until the test closes it
		switch in.Text() {
		case "handles":
			handles, nodes := &srv.fs.handles, &srv.fs.tree.nodes
			handles.mu.Lock()
			nodes.mu.Lock()
			fmt.Println(len(handles.m), len(nodes.m))
			nodes.mu.Unlock()
			handles.mu.Unlock()
		case "unmount":
			fmt.Println("unmounted:", srv.Unmount(context.Background()))
		}
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	if err := srv.Unmount(ctx); err != nil {
		fmt.Println(err)
	}
	return 0
}

// raceExit is the exit status of a program whose race detector has found one.
const raceExit = 66

// mountT is a mount in a child process.
type mountT struct {
	dir  string
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Reader
	done chan struct{}
}

// mount mounts the toy table, and unmounts when the test ends.
func mount(tb testing.TB, s serving) *mountT {
	tb.Helper()
	if s.Point == "" {
		s.Point = mountpoint(tb)
	}
	m, line := start(tb, s)
	if line != "ready" {
		tb.Fatalf("server: %q", line)
	}
	return m
}

func mountpoint(tb testing.TB) string {
	tb.Helper()
	if _, err := os.Stat("/dev/fuse"); err != nil {
		tb.Skip("no /dev/fuse here")
	}
	dir := tb.TempDir()
	point := dir + "/memory"
	if err := os.Mkdir(point, 0o755); err != nil {
		tb.Fatal(err)
	}
	return point
}

func start(tb testing.TB, s serving) (*mountT, string) {
	tb.Helper()
	spec, err := json.Marshal(s)
	if err != nil {
		tb.Fatal(err)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), serveEnv+"="+string(spec))
	cmd.Stderr = os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	in, err := cmd.StdinPipe()
	if err != nil {
		tb.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		tb.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	m := &mountT{dir: s.Point, cmd: cmd, in: in, out: bufio.NewReader(out), done: make(chan struct{})}
	tb.Cleanup(func() { m.stop(tb) })
	line, err := m.out.ReadString('\n')
	if err != nil {
		tb.Fatalf("server gave no word: %v", err)
	}
	return m, strings.TrimSpace(line)
}

// ask sends the server one word and returns its answer.
func (m *mountT) ask(tb testing.TB, word string) string {
	tb.Helper()
	fmt.Fprintln(m.in, word)
	line, err := m.out.ReadString('\n')
	if err != nil {
		tb.Fatal(err)
	}
	return strings.TrimSpace(line)
}

// stop ends the server and takes off whatever is left of the mount.
func (m *mountT) stop(tb testing.TB) {
	select {
	case <-m.done:
		return
	default:
	}
	close(m.done)
	m.in.Close()
	timer := time.AfterFunc(15*time.Second, func() { _ = m.cmd.Process.Kill() })
	_ = m.cmd.Wait()
	if s := m.cmd.ProcessState; s != nil && s.ExitCode() == raceExit {
		tb.Error("the server had a data race")
	}
	timer.Stop()
	_ = syscall.Unmount(m.dir, syscall.MNT_DETACH)
}

// kill ends the server as a crash would.
func (m *mountT) kill(tb testing.TB) {
	tb.Helper()
	if err := m.cmd.Process.Kill(); err != nil {
		tb.Fatal(err)
	}
	_ = m.cmd.Wait()
}

// hung is when a script has taken too long also for a busy machine, with the race
// detector on.
const hung = 3 * time.Minute

// sh runs a script in a shell with M set to the mountpoint, and returns what it
// wrote to stdout, to stderr, and its exit status.
func (m *mountT) sh(tb testing.TB, shell, script string) (stdout, stderr string, rc int) {
	tb.Helper()
	words := strings.Fields(shell)
	if _, err := exec.LookPath(words[0]); err != nil {
		tb.Skipf("%s is not installed", words[0])
	}
	ctx, cancel := context.WithTimeout(context.Background(), hung)
	defer cancel()
	cmd := exec.CommandContext(ctx, words[0], append(words[1:], "-c", script)...)
	cmd.Env = append(os.Environ(), "M="+m.dir, "LC_ALL=C")
	var o, e strings.Builder
	cmd.Stdout, cmd.Stderr = &o, &e
	err := cmd.Run()
	if ctx.Err() != nil {
		tb.Fatalf("%s hung: %s", shell, script)
	}
	if err != nil && cmd.ProcessState == nil {
		tb.Fatal(err)
	}
	return o.String(), e.String(), cmd.ProcessState.ExitCode()
}

// need skips a test that is about a program which is not there.
func need(tb testing.TB, program string) {
	tb.Helper()
	if _, err := exec.LookPath(program); err != nil {
		tb.Skipf("%s is not installed", program)
	}
}
