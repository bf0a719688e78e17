package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"
)

func topCmd(a *app) *cobra.Command {
	cmd := command("top", "Show live what the mount does", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		in, _ := a.in.(*os.File)
		out, _ := a.out.(*os.File)
		if isTerminal(in) && isTerminal(out) && os.Getenv("TERM") != "dumb" {
			return a.live(ctx, in, out)
		}
		body, err := a.figures(ctx)
		if err != nil {
			return a.finish(nil, err, nil)
		}
		_, err = io.WriteString(a.out, strings.Join(overview(nil, parseFigures(body)), "\n")+"\n")
		return err
	})
	cmd.Long = `Show the figures of "rnixfs metrics" on a terminal, anew each second. Rates are of the last
ten seconds, and so are P50 and P99 where there were requests; all else is since the daemon
started. What needs a person is marked with "!". q ends it. Where standard input or output
is no terminal, or a dumb one (TERM), it prints the figures once.`
	return cmd
}

// live shows the figures until q or a signal.
func (a *app) live(ctx context.Context, in, out *os.File) error {
	ctx, stop := onSignals(ctx, syscall.SIGHUP, syscall.SIGQUIT)
	defer stop()
	restore, err := takeScreen(in, out)
	if err != nil {
		return err
	}
	defer restore() // also when it panics
	var seen []figures
	var lines []string
	var shown string
	for next := time.Now(); ctx.Err() == nil; {
		if !time.Now().Before(next) {
			next = time.Now().Add(time.Second)
			body, err := a.figures(ctx)
			if err != nil {
				return a.finish(nil, err, nil)
			}
			now := parseFigures(body)
			if len(seen) > 0 && seen[0]["start_time_seconds"] != now["start_time_seconds"] {
				seen = nil // another daemon counts anew
			}
			seen = append(seen[max(len(seen)-10, 0):], now)
			lines = overview(seen[:len(seen)-1], now)
		}
		if f := frame(lines, out); f != shown { // the figures or the window changed
			shown = f
			_, _ = out.WriteString(f)
		}
		ready := []unix.PollFd{{Fd: int32(in.Fd()), Events: unix.POLLIN}}
		if n, _ := unix.Poll(ready, 100); n > 0 { // no longer, for signals and another size
			key := make([]byte, 1)
			if n, err := in.Read(key); n == 0 || err != nil || key[0] == 'q' {
				return nil
			}
		}
	}
	return cut(ctx)
}

// takeScreen has keys come as they are typed, unseen, on a screen of their own. Ctrl-Z and
// Ctrl-\ do nothing: they would leave the terminal so.
func takeScreen(in, out *os.File) (restore func(), err error) {
	was, err := unix.IoctlGetTermios(int(in.Fd()), unix.TCGETS)
	if err != nil {
		return nil, err
	}
	now := *was
	now.Lflag &^= unix.ICANON | unix.ECHO
	now.Cc[unix.VMIN], now.Cc[unix.VTIME], now.Cc[unix.VSUSP], now.Cc[unix.VQUIT] = 1, 0, 0, 0
	err = unix.IoctlSetTermios(int(in.Fd()), unix.TCSETS, &now)
	_, _ = out.WriteString("\x1b[?1049h\x1b[?25l")
	return func() {
		_, _ = out.WriteString("\x1b[?25h\x1b[?1049l")
		_ = unix.IoctlSetTermios(int(in.Fd()), unix.TCSETS, was)
	}, err
}

// frame is what a terminal is sent to show lines.
func frame(lines []string, out *os.File) string {
	size, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ)
	if err != nil || size.Row == 0 || size.Col == 0 { // it does not know
		size = &unix.Winsize{Row: 24, Col: 80}
	}
	rows := int(size.Row)
	if below := len(lines) - rows; below > 0 {
		lines = append(slices.Clone(lines[:rows-1]), fmt.Sprintf(" more rows below: %d", below+1))
	}
	lines = slices.Clone(lines)
	for i, line := range lines {
		lines[i] = oneLine(line, int(size.Col))
		if os.Getenv("NO_COLOR") == "" && strings.HasPrefix(line, "!") {
			lines[i] = "\x1b[1;31m" + lines[i] + "\x1b[0m"
		}
	}
	return "\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\x1b[J"
}
