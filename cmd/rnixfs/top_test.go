package main_test

import (
	"errors"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"golang.org/x/sys/unix"
)

// frame is the last whole picture that was shown, by lines.
func (tt *terminal) frame() []string {
	text := tt.text()
	text = text[:max(strings.LastIndex(text, "\x1b[J"), 0)]
	text = text[strings.LastIndex(text, "\x1b[H")+len("\x1b[H"):]
	return strings.Split(strings.ReplaceAll(text, "\x1b[K", ""), "\r\n")
}

func (tt *terminal) size(rows, columns uint16) {
	tt.t.Helper()
	if err := unix.IoctlSetWinsize(tt.fd, unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		tt.t.Fatal(err)
	}
}

// typed is what the terminal does with keys.
func (tt *terminal) typed() unix.Termios {
	tt.t.Helper()
	was, err := unix.IoctlGetTermios(tt.fd, unix.TCGETS)
	if err != nil {
		tt.t.Fatal(err)
	}
	return *was
}

func (m *mount) top(env ...string) (*terminal, *exec.Cmd) {
	cmd := exec.Command(binary, "top")
	cmd.Dir, cmd.Env = m.work, append(env, m.env...)
	return newTerminal(m.t, cmd), cmd
}

// TestTop: top follows what happens and the size of the window, and leaves the terminal as
// it was, however it ends.
func TestTop(t *testing.T) {
	m := newMount(t, "store:\n  memory_char_limit: 19\n")
	m.must(`echo '{"action":"add","content":"The hangar is hot."}' > $MNT/commit`)
	tt, cmd := m.top("NO_COLOR=1")
	tt.until("!memory")
	if strings.Contains(tt.text(), "\x1b[1;31m") {
		t.Error("colours, in spite of NO_COLOR")
	}
	m.must(`echo '{"query":"hangar"}' > $MNT/recall`)
	tt.until(" recall  ")
	tt.size(4, 30)
	tt.until(" more rows below: ")
	tt.keys("xq")
	if err := cmd.Wait(); err != nil {
		t.Errorf("q: %v", err)
	}
	tt.until("\x1b[?1049l")
	f := tt.frame()
	if len(f) != 4 {
		t.Errorf("%d lines in a window of 4", len(f))
	}
	for _, line := range f {
		if utf8.RuneCountInString(line) > 30 {
			t.Errorf("%q in a window of 30 columns", line)
		}
	}
	tt, cmd = m.top("TERM=dumb")
	if err := cmd.Wait(); err != nil {
		t.Errorf("TERM=dumb: %v", err)
	}
	tt.until(" global")
	if text := tt.text(); strings.Contains(text, "\x1b") || strings.Index(text, "!memory") > strings.Index(text, " global") {
		t.Errorf("escapes, or the scope nearest its limit is not the first: %q", text)
	}
	signals := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT}
	var screens [4]*terminal
	var tops [4]*exec.Cmd
	for i := range signals {
		screens[i], tops[i] = m.top()
	}
	for i, sig := range signals {
		tt, cmd := screens[i], tops[i]
		tt.until("\x1b[1;31m!memory")
		if tt.typed().Lflag&(unix.ICANON|unix.ECHO) != 0 {
			t.Error("keys are shown, or wait for a line's end")
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		err := cmd.Wait()
		tt.until("\x1b[?1049l")
		if exit := new(exec.ExitError); !errors.As(err, &exit) || exit.ExitCode() != 128+int(sig) || strings.Contains(tt.text(), "goroutine") {
			t.Errorf("%v: %v, %q", sig, err, tt.text())
		}
		if is := tt.typed(); is.Lflag&unix.ICANON == 0 || is.Lflag&unix.ECHO == 0 || is.Cc[unix.VSUSP] == 0 {
			t.Errorf("%v: the terminal is left as top had it", sig)
		}
	}
	tt, cmd = m.top()
	tt.until("SCOPE")
	unmount(m.mnt)
	err := cmd.Wait()
	if tt.until("nothing of rnixfs is mounted"); err == nil || !strings.Contains(tt.text(), "\x1b[?1049l") {
		t.Errorf("unmounted: %v, %q", err, tt.text())
	}
}
