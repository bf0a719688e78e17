package child

import (
	"os"
	"os/signal"
	"slices"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs/attest"
)

// relayed are the signals that end or inform a program and that somebody may send
// to this process in the belief that it is the program. The terminal itself sends
// SIGINT, SIGQUIT, SIGTSTP and SIGWINCH; the last two are left to their default:
// they reach the child by the group. What was ignored when this process began, by
// nohup or as a job in the background, is none of them.
var relayed = slices.DeleteFunc([]os.Signal{
	syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGCONT,
}, signal.Ignored)

// relay passes signals on to the child while it lives.
type relay struct {
	in       chan os.Signal
	done     sync.WaitGroup
	terminal bool // there was one when this process began

	mu  sync.Mutex
	pid int // 0: no child, or none any more
}

// newRelay begins to catch signals: caught ones are the default again in the
// child, where ignored ones stay ignored (execve(2)).
func newRelay() *relay {
	r := &relay{in: make(chan os.Signal, 16)}
	r.terminal, _ = terminal()
	signal.Notify(r.in, relayed...)
	return r
}

func (r *relay) to(pid int) {
	r.mu.Lock()
	r.pid = pid
	r.mu.Unlock()
	r.done.Go(func() {
		for s := range r.in {
			if n, ok := s.(syscall.Signal); ok {
				r.pass(n)
			}
		}
	})
}

// pass sends a signal on, unless it is one of the terminal's that the child got as
// well.
func (r *relay) pass(s syscall.Signal) {
	has, foreground := terminal()
	if foreground && (s == syscall.SIGINT || s == syscall.SIGQUIT) {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.pid == 0 || s == syscall.SIGHUP && !has && r.hungUp() {
		return
	}
	_ = unix.Kill(r.pid, s) // a child that is gone needs none
}

// hungUp reports whether a SIGHUP, without a terminal now, is of one that is gone, and comes to the
// child without help: the kernel sends it to the leader of the session, and to the
// foreground group when that ends (tty_signal_session_leader, drivers/tty); a shell
// sends it to the groups of all its jobs.
func (r *relay) hungUp() bool {
	group, err := unix.Getpgid(r.pid)
	leader, _ := unix.Getsid(0)
	return r.terminal && err == nil && group == unix.Getpgrp() && leader != unix.Getpid()
}

// end is called before the child is reaped.
func (r *relay) end() {
	r.mu.Lock()
	r.pid = 0
	r.mu.Unlock()
}

func (r *relay) close() {
	signal.Stop(r.in)
	close(r.in)
	r.done.Wait()
}

// cldStopped is CLD_STOPPED of siginfo.h.
const cldStopped = 5

// settle is how long a stop or a SIGCONT of the terminal takes to reach all of a
// group.
const settle = 20 * time.Millisecond

// stopWith stops this process when the child has stopped by itself, as programs
// do that read Ctrl-Z as a key. When the terminal stopped the whole group, this
// process was stopped meanwhile, which the clock shows, and the child goes on by
// the SIGCONT that woke this process.
func stopWith(pid int) {
	for start := time.Now(); ; start = time.Now() {
		time.Sleep(settle)
		if time.Since(start) < 3*settle {
			break
		}
	}
	if attest.Stopped(pid) {
		_ = unix.Kill(unix.Getpid(), unix.SIGSTOP) // comes into force soon, not at once
	}
	for attest.Stopped(pid) { // the relay passes the SIGCONT on that wakes this process
		time.Sleep(5 * time.Millisecond)
	}
}

// Die ends this process by a signal, so that its parent sees what ended the child.
// It returns when that is not possible.
func Die(s syscall.Signal) {
	// The child's core is the one that tells something.
	_ = unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{})
	// Go's runtime answers some signals with a trace and status 2: the default
	// action is the kernel's. An all-zero struct sigaction is SIG_DFL without flags
	// on every architecture.
	var action [64]byte
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(s), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	if errno != 0 && s != syscall.SIGKILL {
		return
	}
	_ = unix.Kill(unix.Getpid(), s)
	time.Sleep(100 * time.Millisecond) // it may reach another thread first
}
