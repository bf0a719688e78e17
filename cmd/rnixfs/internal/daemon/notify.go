package daemon

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// notify tells systemd of this service's state, by the protocol of sd_notify(3).
// Without systemd it does nothing; a failure has nobody to be told.
func notify(state string) {
	addr := os.Getenv("NOTIFY_SOCKET")
	if addr == "" {
		return
	}
	c, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: addr, Net: "unixgram"})
	if err != nil {
		return
	}
	defer c.Close()
	_, _ = c.Write([]byte(state))
}

// reloading is RELOADING=1 with the time that Type=notify-reload compares with that of
// the signal.
func reloading() string {
	var ts unix.Timespec
	_ = unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) // it fails for unknown clocks alone
	return fmt.Sprintf("RELOADING=1\nMONOTONIC_USEC=%d", ts.Nano()/1000)
}

// watchdogTime is how long systemd waits between two signs of life; 0: it waits for none.
func watchdogTime() time.Duration {
	usec, err := strconv.ParseInt(os.Getenv("WATCHDOG_USEC"), 10, 64)
	if err != nil || os.Getenv("WATCHDOG_PID") != strconv.Itoa(os.Getpid()) {
		return 0
	}
	return time.Duration(usec) * time.Microsecond
}

// watchdog gives a sign of life twice in that time, each after the mount has answered:
// where it hangs there is none, and systemd starts this service anew.
func watchdog(ctx context.Context, within time.Duration, answers func(context.Context) error, say func(string)) {
	if within <= 0 {
		return
	}
	tick := time.NewTicker(within / 2)
	defer tick.Stop()
	for {
		if answers(ctx) == nil {
			say("WATCHDOG=1")
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// answers asks the mount for its status by another process: this one must not wait for
// itself. A device that was handed down has no path to ask at.
func answers(mountpoint string) func(context.Context) error {
	return func(ctx context.Context) error {
		if fuse.IsDevice(mountpoint) {
			return nil
		}
		return exec.CommandContext(ctx, "/proc/self/exe", "status", "--mountpoint", mountpoint).Run()
	}
}
