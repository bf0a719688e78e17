// Package child runs one program in the place of this one: on the same terminal,
// in the same process group, ended by the same signals, with the same exit status.
//
// # Invariants
//
//   - Standard input, output and error, and every other descriptor that is not
//     closed on exec, are the child's as they are this process's.
//   - What the terminal sends comes once: it reaches the whole foreground group
//     without help. What somebody else sends to the whole group, as "kill %1" of a
//     shell does, comes twice: a process does not learn to whom a signal was sent.
//   - When the child stops, this process stops, so that the shell that waits for
//     it takes the terminal back.
//   - No signal is sent to a process id that is free again.
//
// # What it is not
//
// It knows nothing of agents and of memory. The command line imports it.
package child

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// The exit codes of a program that did not run, as of env(1) and of the shells
// (POSIX, Shell Command Language 2.8.2).
const (
	ExitNotRunnable = 126
	ExitNotFound    = 127
	exitSignal      = 128 // plus the signal's number
)

// Program is what is to be run.
type Program struct {
	Args []string // the first is the name, looked up in PATH unless it has a slash
	Env  []string
}

// Status is how a program ended.
type Status struct {
	Code   int            // its exit status; 128 and the number after a signal
	Signal syscall.Signal // that ended it, or 0
}

// Run runs the program and returns when it has ended. Where it did not run, the code
// beside the error is one of those above.
func Run(p Program) (Status, error) {
	path, err := exec.LookPath(p.Args[0])
	if err != nil && !errors.Is(err, exec.ErrDot) {
		return notRun(p.Args[0], err)
	}
	relay := newRelay()
	defer relay.close()
	// The descriptors as they are: an os.File could change their mode, which is
	// shared with whoever else has them open.
	pid, err := syscall.ForkExec(path, p.Args, &syscall.ProcAttr{Env: p.Env, Files: []uintptr{0, 1, 2}})
	if err != nil {
		return notRun(p.Args[0], err)
	}
	relay.to(pid)
	return wait(pid, relay)
}

func notRun(name string, err error) (Status, error) {
	code := ExitNotRunnable
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		code = ExitNotFound
	}
	if inner, ok := errors.AsType[*exec.Error](err); ok {
		err = inner.Err
	}
	return Status{Code: code}, fmt.Errorf("run %s: %w", name, err)
}

// wait waits for the end of the child, and stops with it.
func wait(pid int, relay *relay) (Status, error) {
	for {
		// Left in place (WNOWAIT): until it is reaped, its number is its own.
		var info unix.Siginfo
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WSTOPPED|unix.WNOWAIT, nil)
		if errors.Is(err, unix.EINTR) {
			continue
		}
		if err != nil {
			return Status{}, fmt.Errorf("wait for the program: %w", err)
		}
		if info.Code == cldStopped {
			stopWith(pid)
			continue
		}
		relay.end()
		var ws unix.WaitStatus
		for err = unix.EINTR; errors.Is(err, unix.EINTR); {
			_, err = unix.Wait4(pid, &ws, 0, nil)
		}
		if err != nil {
			return Status{}, fmt.Errorf("wait for the program: %w", err)
		}
		if ws.Signaled() {
			return Status{Code: exitSignal + int(ws.Signal()), Signal: ws.Signal()}, nil
		}
		return Status{Code: ws.ExitStatus()}, nil
	}
}

// Environ returns env with the variables set, or taken out where they are "".
func Environ(env []string, set map[string]string) []string {
	out := make([]string, 0, len(env)+len(set))
	for _, kv := range env {
		name, _, _ := strings.Cut(kv, "=")
		if _, ours := set[name]; !ours {
			out = append(out, kv)
		}
	}
	for name, value := range set {
		if value != "" {
			out = append(out, name+"="+value)
		}
	}
	return out
}

// terminal reports whether this process has a controlling terminal, and whether it
// is in its foreground: its keys then signal it and the child at once.
func terminal() (has, foreground bool) {
	tty, err := os.OpenFile("/dev/tty", os.O_RDONLY|syscall.O_NOCTTY, 0)
	if err != nil {
		return false, false
	}
	defer tty.Close()
	group, err := unix.IoctlGetInt(int(tty.Fd()), unix.TIOCGPGRP)
	return true, err == nil && group == unix.Getpgrp()
}
