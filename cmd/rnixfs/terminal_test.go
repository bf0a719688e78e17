package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// terminal is a pseudoterminal (pty(7)), as whoever sits at it sees it.
type terminal struct {
	t      *testing.T
	fd     int
	master *os.File // of fd

	mu  sync.Mutex
	got bytes.Buffer // what was shown; guarded by mu
}

// newTerminal starts a command as the leader of a session on a terminal of its own.
func newTerminal(t *testing.T, cmd *exec.Cmd) *terminal {
	t.Helper()
	fd, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
	if err != nil {
		t.Skipf("no terminals here: %v", err)
	}
	n, err := unix.IoctlGetInt(fd, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(fd, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		t.Fatal(err)
	}
	tt := &terminal{t: t, fd: fd, master: os.NewFile(uintptr(fd), "ptmx")}
	slave, err := os.OpenFile("/dev/pts/"+strconv.Itoa(n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	err = cmd.Start()
	slave.Close()
	if err != nil {
		t.Fatal(err)
	}
	var reader sync.WaitGroup
	reader.Go(tt.read)
	t.Cleanup(func() {
		tt.master.Close()
		reader.Wait()
	})
	return tt
}

func (tt *terminal) read() {
	buf := make([]byte, 4096)
	for {
		n, err := tt.master.Read(buf)
		tt.mu.Lock()
		tt.got.Write(buf[:n])
		tt.mu.Unlock()
		if err != nil {
			return
		}
	}
}

func (tt *terminal) text() string {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	return tt.got.String()
}

// until waits for a word. What is typed is shown as well: a word that a command is
// to print must not be typed in one piece.
func (tt *terminal) until(word string) {
	tt.t.Helper()
	for range 4000 {
		if strings.Contains(tt.text(), word) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	tt.t.Fatalf("%q never came; the terminal showed %q", word, tt.text())
}

// forget drops what was shown so far.
func (tt *terminal) forget() {
	tt.mu.Lock()
	defer tt.mu.Unlock()
	tt.got.Reset()
}

func (tt *terminal) keys(s string) {
	tt.t.Helper()
	if _, err := tt.master.WriteString(s); err != nil {
		tt.t.Fatal(err)
	}
}

// shell starts an interactive bash on a terminal, which controls jobs.
func (r *runner) shell() (*terminal, *exec.Cmd) {
	r.t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		r.t.Skip("needs bash for the control of jobs")
	}
	cmd := exec.Command(bash, "--norc", "--noprofile", "-i")
	run := r.command()
	cmd.Dir, cmd.Env = run.Dir, append(run.Env, "PS1=> ", "TERM=dumb", "RNIXFS="+binary, "LC_ALL=C")
	return newTerminal(r.t, cmd), cmd
}

// busy is an agent that says what reaches it, until there is a file "enough".
const busy = `
trap 'echo "interrupt" >>events; echo "got interrupt"' INT
trap 'echo "size" >>events; echo "got size $(stty size)"' WINCH
trap 'echo "hangup" >>events' HUP
trap 'echo "terminate" >>events' TERM
trap 'echo "got continue"' CONT
read -r pid name state parent group session tty front rest </proc/$$/stat
echo ready >>events
[ "$group" = "$front" ] && echo "got terminal"
while [ ! -e enough ]; do sleep 0.02 & wait $!; done
exit 5`

func (r *runner) enough() {
	r.t.Helper()
	if err := os.WriteFile(filepath.Join(r.dir, "enough"), nil, 0o600); err != nil {
		r.t.Fatal(err)
	}
}

// events are what busy got, in order.
func (r *runner) events() string {
	r.t.Helper()
	return strings.Join(strings.Fields(r.read("events")), " ")
}

func (r *runner) read(name string) string {
	r.t.Helper()
	raw, err := os.ReadFile(filepath.Join(r.dir, name))
	if err != nil {
		r.t.Fatal(err)
	}
	return string(raw)
}

// await waits until busy, or another agent, has noted a word.
func (r *runner) await(word string) {
	r.t.Helper()
	for range 4000 {
		if raw, err := os.ReadFile(filepath.Join(r.dir, "events")); err == nil && strings.Contains(string(raw), word) {
			return
		}
		time.Sleep(5 * time.Millisecond)
	}
	r.t.Fatalf("the agent never got %q", word)
}

// settled is how long a second signal would take to come.
const settled = 300 * time.Millisecond

// TestRunJobControl: in a shell the command is one job: it has the terminal, Ctrl-Z
// stops it, fg continues it, each key comes once, and the terminal is as it was.
func TestRunJobControl(t *testing.T) {
	r := newRunner(t)
	r.agent("claude", busy)
	tt, cmd := r.shell()
	tt.keys("stty -g >before; $RNIXFS run claude\n")
	tt.until("got terminal")
	for _, again := range []string{"first", "second"} {
		tt.keys("\x1a") // Ctrl-Z
		tt.until("Stopped")
		tt.keys("jobs | wc -l; echo sto''pped " + again + "\n")
		tt.until("stopped " + again)
		tt.forget()
		tt.keys("fg\n")
		tt.until("got continue")
		tt.forget()
	}
	tt.keys("\x03") // Ctrl-C
	tt.until("got interrupt")
	if err := unix.IoctlSetWinsize(tt.fd, unix.TIOCSWINSZ, &unix.Winsize{Row: 33, Col: 101}); err != nil {
		t.Fatal(err)
	}
	tt.until("got size 33 101")
	time.Sleep(settled)
	r.enough()
	tt.keys("echo sta''tus $?; stty -g >after; exit\n")
	tt.until("status 5")
	_ = cmd.Wait()
	if got, want := r.events(), "ready interrupt size"; got != want {
		t.Errorf("the agent got %q, want %q", got, want)
	}
	if before, after := r.read("before"), r.read("after"); before != after {
		t.Errorf("the terminal was %q and is %q", before, after)
	}
	if len(r.jobs()) != 1 {
		t.Errorf("jobs %v", r.jobs())
	}
}

// TestRunBackground: a job in the background that reads the terminal is stopped as
// any other, and goes on in the foreground; what is sent to it there it gets.
func TestRunBackground(t *testing.T) {
	r := newRunner(t)
	r.agent("claude", `echo ready >>events; read -r line; echo "read-$line" >>events; exit 6`)
	tt, cmd := r.shell()
	tt.keys("$RNIXFS run claude &\n")
	r.await("ready")
	tt.keys("sleep 0.2; jobs\n")
	tt.until("Stopped")
	tt.keys("fg\n")
	time.Sleep(settled)
	tt.keys("typed\n")
	r.await("read-typed")
	tt.keys("echo sta''tus $?; exit\n")
	tt.until("status 6")
	_ = cmd.Wait()

	r = newRunner(t)
	r.agent("claude", busy)
	tt, cmd = r.shell()
	tt.keys("$RNIXFS run claude &\n")
	r.await("ready")
	tt.keys("kill -INT $!; kill -TERM $!\n") // %1 would be both processes of the job
	r.await("terminate")
	time.Sleep(settled)
	r.enough()
	tt.keys("wait %1; echo sta''tus $?; exit\n")
	tt.until("status 5")
	_ = cmd.Wait()
	if got := r.events(); got != "ready interrupt terminate" && got != "ready terminate interrupt" {
		t.Errorf("in the background the agent got %q", got)
	}
}

// TestRunHangup: when the terminal goes, the command hears of it as often as without
// run, and its conversation is handed over all the same.
func TestRunHangup(t *testing.T) {
	for _, shell := range []bool{false, true} {
		r := newRunner(t)
		r.agent("claude", busy)
		var tt *terminal
		var cmd *exec.Cmd
		if shell {
			tt, cmd = r.shell()
			tt.keys("$RNIXFS run claude\n")
		} else {
			cmd = r.command("claude")
			tt = newTerminal(t, cmd)
		}
		tt.until("got terminal")
		tt.master.Close()
		r.await("hangup")
		time.Sleep(settled)
		r.enough()
		_ = cmd.Wait()
		for range 1000 {
			if len(r.jobs()) > 0 {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		// bash sends a SIGHUP of its own to its jobs, after that of the kernel.
		if got := r.events(); got != "ready hangup" && !(shell && got == "ready hangup hangup") {
			t.Errorf("shell %v: the agent got %q", shell, got)
		}
		if len(r.jobs()) != 1 {
			t.Errorf("shell %v: jobs %v", shell, r.jobs())
		}
	}
}

// TestRunTerminalState: what a command leaves of the terminal's state stands, as if
// it had been started directly; this program changes nothing of its own.
func TestRunTerminalState(t *testing.T) {
	for _, script := range []string{"exit 0", "stty -echo -icanon; exit 0", "stty -isig; kill -KILL $$", "no-such-command"} {
		var left [2]string
		for i, how := range []string{"", binary + " run "} {
			r := newRunner(t)
			r.agent("claude", script)
			cmd := r.command()
			cmd.Args, cmd.Path = []string{"sh", "-c", how + "claude 2>/dev/null; echo $? $(stty -g) >left; true"}, "/bin/sh"
			newTerminal(t, cmd)
			if err := cmd.Wait(); err != nil {
				t.Fatal(err)
			}
			left[i] = r.read("left")
		}
		if left[0] != left[1] {
			t.Errorf("%s: left %q directly, %q by run", script, left[0], left[1])
		}
	}
}

// TestRunPiped: a stream of any length goes through, in either direction, and ends
// where it would end without run.
func TestRunPiped(t *testing.T) {
	r := newRunner(t)
	for script, want := range map[string]string{
		`head -c 20000000 /dev/zero | $RNIXFS run -- cat | wc -c`:                                "20000000\n",
		`yes | $RNIXFS run -- head -n 1`:                                                         "y\n",
		`$RNIXFS run -- yes | head -n 1`:                                                         "y\n",
		`printf 'one\ntwo\n' | { $RNIXFS run -- sh -c 'read -r a; echo "$a"'; cat >/dev/null; }`: "one\n",
		`$RNIXFS run -- cat <&-; echo $?`:                                                        "0\n",
		`$RNIXFS run -- sh -c 'echo out; exit 3' >&-; echo $?`:                                   "3\n",
		`RNIX_HOOKS=off $RNIXFS run --agent claude -- sh -c 'echo $RNIX_HOOKS'`:                  "off\n",
	} {
		cmd := r.command()
		cmd.Args, cmd.Path = []string{"sh", "-c", script}, "/bin/sh"
		cmd.Env = append(cmd.Env, "RNIXFS="+binary)
		out, err := cmd.Output()
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, %v, want %q", script, out, err, want)
		}
	}
}
