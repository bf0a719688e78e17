package daemon

import (
	"net"
	"os"

	"golang.org/x/sys/unix"
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

// monotonicMicros is CLOCK_MONOTONIC in microseconds, which RELOADING=1 wants.
func monotonicMicros() int64 {
	var ts unix.Timespec
	if unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts) != nil {
		return 0
	}
	return ts.Nano() / 1000
}
