package main_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// runner starts "rnixfs run" with folders of its own.
type runner struct {
	t    *testing.T
	dir  string
	data string
}

func newRunner(t *testing.T) *runner {
	t.Helper()
	dir := t.TempDir()
	return &runner{t: t, dir: dir, data: filepath.Join(dir, "data")}
}

func (r *runner) command(args ...string) *exec.Cmd {
	r.t.Helper()
	cmd := exec.Command(binary, append([]string{"run"}, args...)...)
	cmd.Dir = r.dir
	cmd.Env = []string{
		"PATH=" + r.dir + ":" + os.Getenv("PATH"), "HOME=" + r.dir, "XDG_DATA_HOME=" + r.data, "RNIXFS_MOUNTPOINT=" + filepath.Join(r.dir, "mnt"),
	}
	cmd.WaitDelay = 20 * time.Second
	return cmd
}

// agent makes a script that is called like an agent.
func (r *runner) agent(name, script string) {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		r.t.Fatal(err)
	}
}

// jobs reads what was handed over.
func (r *runner) jobs() []map[string]any {
	r.t.Helper()
	var jobs []map[string]any
	files, err := filepath.Glob(filepath.Join(r.data, "rnix", "spool", "new", "*.json"))
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range files {
		var job map[string]any
		text, err := os.ReadFile(f)
		if err == nil {
			err = json.Unmarshal(text, &job)
		}
		if err != nil {
			r.t.Fatal(err)
		}
		jobs = append(jobs, job)
	}
	return jobs
}

// ended is how a command ended: its exit status, or the signal.
func ended(t *testing.T, err error) string {
	t.Helper()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return "0"
	case !errors.As(err, &exit):
		t.Fatal(err)
	}
	ws, _ := exit.Sys().(syscall.WaitStatus)
	if ws.Signaled() {
		return ws.Signal().String()
	}
	return strconv.Itoa(ws.ExitStatus())
}

func TestRunStatus(t *testing.T) {
	r := newRunner(t)
	r.agent("plain", "exit 0")
	if err := os.Chmod(filepath.Join(r.dir, "plain"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "garbage"), []byte{0x7f, 0, 1}, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, tc := range []struct {
		want string
		args []string
	}{
		{"0", []string{"true"}},
		{"7", []string{"--", "sh", "-c", "exit 7"}},
		{"255", []string{"sh", "-c", "exit 255"}},
		{"2", []string{"sh", "-c", "exit 2"}},
		{"terminated", []string{"sh", "-c", "kill -TERM $$"}},
		{"hangup", []string{"sh", "-c", "kill -HUP $$"}},
		{"interrupt", []string{"sh", "-c", "kill -INT $$"}},
		{"quit", []string{"sh", "-c", "kill -QUIT $$"}},
		{"killed", []string{"sh", "-c", "kill -KILL $$"}},
		{"segmentation fault", []string{"sh", "-c", "kill -SEGV $$"}},
		{"aborted", []string{"sh", "-c", "kill -ABRT $$"}},
		{"broken pipe", []string{"sh", "-c", "kill -PIPE $$"}},
		{"127", []string{"no-such-program"}},
		{"127", []string{"./no-such-program"}},
		{"126", []string{"./plain"}},
		{"126", []string{"./garbage"}},
		{"126", []string{"/"}},
		{"125", []string{}},
		{"125", []string{"--agent", "other", "true"}},
		{"125", []string{"--no-such-flag", "true"}},
	} {
		if got := ended(t, r.command(tc.args...).Run()); got != tc.want {
			t.Errorf("%q: %s, want %s", tc.args, got, tc.want)
		}
	}
}

// TestRunStreams: standard streams, arguments, the environment and further
// descriptors reach the command as they are.
func TestRunStreams(t *testing.T) {
	r := newRunner(t)
	if err := os.Mkdir(filepath.Join(r.dir, ".git"), 0o755); err != nil {
		t.Fatal(err)
	}
	extra, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	cmd := r.command("sh", "-c", `cat; echo "$@"; cat <&3; echo "$RNIX_PROJECT|$RNIX_MEMORY|${#RNIX_SESSION}"; echo err >&2`, "sh", "-c", "--json", "a b")
	cmd.Env = append(cmd.Env, "RNIX_SESSION=old", "RNIX_PROJECT=/old")
	cmd.Stdin = strings.NewReader("in\n")
	cmd.ExtraFiles = []*os.File{extra}
	var out, errOut bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errOut
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	io.WriteString(w, "extra\n")
	w.Close()
	if err := cmd.Wait(); err != nil {
		t.Fatal(err)
	}
	real, err := filepath.EvalSymlinks(r.dir)
	if err != nil {
		t.Fatal(err)
	}
	want := "in\n-c --json a b\nextra\n" + real + "|" + filepath.Join(r.dir, "mnt") + "|36\n"
	if out.String() != want || errOut.String() != "err\n" {
		t.Errorf("got %q and %q, want %q", out.String(), errOut.String(), want)
	}
}

func TestRunJob(t *testing.T) {
	r := newRunner(t)
	r.agent("claude", "exit 3")
	r.agent("gemini", `kill -TERM $$`)
	for _, args := range [][]string{{"claude", "-p", "x"}, {"gemini"}, {"--agent", "codex", "sh", "-c", "true"}, {"sh", "-c", "true"}} {
		_ = r.command(args...).Run()
	}
	var got []string
	for _, job := range r.jobs() {
		code, _ := job["exit_code"].(float64)
		got = append(got, job["agent"].(string)+" "+strconv.Itoa(int(code)))
		if job["event"] != "exit" || job["project"] == "" || job["start"] == nil || job["end"] == nil || len(job["session"].(string)) != 36 || job["transcript"] != nil {
			t.Errorf("job %v", job)
		}
	}
	if want := []string{"claude 3", "gemini 143", "codex 0"}; !slices.Equal(got, want) {
		t.Errorf("jobs %q, want %q", got, want)
	}
	if err := os.WriteFile(filepath.Join(r.dir, "memory.yaml"), []byte("writeback:\n  enabled: false\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_ = r.command("claude").Run()
	if n := len(r.jobs()); n != len(got) {
		t.Errorf("%d jobs, with the writeback switched off", n)
	}
}

// TestRunSignals: what is sent to this process is the command's.
func TestRunSignals(t *testing.T) {
	for _, tc := range []struct {
		send   syscall.Signal
		script string
		want   string
	}{
		{syscall.SIGTERM, "echo ready; exec sleep 60", "terminated"},
		{syscall.SIGHUP, "echo ready; exec sleep 60", "hangup"},
		{syscall.SIGINT, "echo ready; exec sleep 60", "interrupt"},
		{syscall.SIGQUIT, "echo ready; exec sleep 60", "quit"},
		{syscall.SIGUSR1, "echo ready; exec sleep 60", "user defined signal 1"},
		{syscall.SIGTERM, `trap "exit 9" TERM; echo ready; while :; do sleep 0.05; done`, "9"},
		{syscall.SIGINT, `trap "exit 8" INT; echo ready; while :; do sleep 0.05; done`, "8"},
	} {
		r := newRunner(t)
		cmd := r.command("sh", "-c", tc.script)
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // no terminal: nobody else signals
		started(t, cmd)
		if err := cmd.Process.Signal(tc.send); err != nil {
			t.Fatal(err)
		}
		if got := ended(t, cmd.Wait()); got != tc.want {
			t.Errorf("%v, %s: %s, want %s", tc.send, tc.script, got, tc.want)
		}
	}
}

// started starts a command and waits for the line that says that it runs.
func started(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := out.Read(make([]byte, 64)); err != nil {
		t.Fatal(err)
	}
}

// TestRunIgnored: a command under nohup goes on when the terminal is gone.
func TestRunIgnored(t *testing.T) {
	r := newRunner(t)
	run := r.command("sh", "-c", "echo ready; sleep 0.3; echo done")
	cmd := exec.Command("sh", append([]string{"-c", `trap "" HUP; exec "$@"`, "sh"}, run.Args...)...)
	cmd.Dir, cmd.Env = run.Dir, run.Env
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	started(t, cmd)
	if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	if got := ended(t, cmd.Wait()); got != "0" {
		t.Errorf("it ended with %s", got)
	}
}

// TestRunStops: when the command stops by itself, this process stops, too, and
// both go on together.
func TestRunStops(t *testing.T) {
	r := newRunner(t)
	cmd := r.command("sh", "-c", "echo ready; kill -STOP $$; : >continued; exit 5")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	started(t, cmd)
	awaitState(t, cmd.Process.Pid, "T")
	if _, err := os.Stat(filepath.Join(r.dir, "continued")); err == nil {
		t.Error("the command went on although nobody continued it")
	}
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGCONT); err != nil { // this process alone
		t.Fatal(err)
	}
	if got := ended(t, cmd.Wait()); got != "5" {
		t.Errorf("after it stopped itself: %s", got)
	}

	// The terminal stops the whole group, and fg continues it.
	cmd = r.command("sh", "-c", "echo ready; while [ ! -e enough ]; do sleep 0.02; done; exit 6")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	started(t, cmd)
	for range 2 {
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGTSTP); err != nil {
			t.Fatal(err)
		}
		awaitState(t, cmd.Process.Pid, "T")
		if err := syscall.Kill(-cmd.Process.Pid, syscall.SIGCONT); err != nil {
			t.Fatal(err)
		}
		awaitState(t, cmd.Process.Pid, "SR")
	}
	if err := os.WriteFile(filepath.Join(r.dir, "enough"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := ended(t, cmd.Wait()); got != "6" {
		t.Errorf("after the group was stopped: %s", got)
	}
}

// awaitState waits until a process is in one of the states of proc(5).
func awaitState(t *testing.T, pid int, states string) {
	t.Helper()
	for range 2000 {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if err != nil {
			t.Fatal(err)
		}
		if _, rest, ok := strings.Cut(string(stat), ") "); ok && strings.Contains(states, rest[:1]) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	t.Fatalf("process %d never was %s", pid, states)
}

// TestRunTerminal: on a terminal the command has it, and a key's signal comes once.
func TestRunTerminal(t *testing.T) {
	script, err := exec.LookPath("script")
	if err != nil {
		t.Skip("needs script(1) for a terminal")
	}
	r := newRunner(t)
	r.agent("claude", `
test -t 0 && test -t 1 && test -t 2 && echo tty
n=0
trap 'n=$((n+1))' INT
echo ready
while [ $n = 0 ]; do sleep 0.05; done
sleep 0.3
echo "interrupts: $n"
read line && echo "read: $line"
exit 4`)
	run := r.command("claude")
	cmd := exec.Command(script, "-qec", "exec "+binary+" run claude", "/dev/null")
	cmd.Dir, cmd.Env = run.Dir, append(run.Env, "SHELL=/bin/sh")
	cmd.WaitDelay = 20 * time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var got bytes.Buffer
	until := func(word string) {
		buf := make([]byte, 512)
		for !bytes.Contains(got.Bytes(), []byte(word)) {
			n, err := out.Read(buf)
			got.Write(buf[:n])
			if err != nil {
				t.Fatalf("%v before %q in %q", err, word, got.String())
			}
		}
	}
	until("ready")
	io.WriteString(in, "\x03") // Ctrl-C
	until("interrupts: ")
	io.WriteString(in, "typed\n")
	until("read: typed")
	in.Close()
	_, _ = io.Copy(&got, out)
	if code := ended(t, cmd.Wait()); code != "4" {
		t.Errorf("script ended with %s", code)
	}
	if !strings.Contains(got.String(), "tty") || !strings.Contains(got.String(), "interrupts: 1") {
		t.Errorf("the terminal showed %q", got.String())
	}
	if len(r.jobs()) != 1 {
		t.Errorf("jobs %v", r.jobs())
	}
}
