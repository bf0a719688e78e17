package cli

import (
	"context"
	"io"
	"os"
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
		if isTerminal(in) && isTerminal(out) {
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
is no terminal, it prints the figures once.`
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
	var size unix.Winsize
	for next := time.Now(); ctx.Err() == nil; {
		was := size
		if s, err := unix.IoctlGetWinsize(int(out.Fd()), unix.TIOCGWINSZ); err == nil {
			size = *s
		}
		due := !time.Now().Before(next)
		if due {
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
		if due || size != was {
			_, _ = out.WriteString(frame(lines, int(size.Row), int(size.Col)))
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

// frame is what a terminal of a size is sent to show lines.
func frame(lines []string, rows, columns int) string {
	if rows == 0 || columns == 0 { // a terminal that does not know
		rows, columns = 24, 80
	}
	lines = append([]string{}, lines[:min(len(lines), rows)]...)
	for i, line := range lines {
		lines[i] = oneLine(line, columns)
		if os.Getenv("NO_COLOR") == "" && strings.HasPrefix(line, "!") {
			lines[i] = "\x1b[1;31m" + lines[i] + "\x1b[0m"
		}
	}
	return "\x1b[H" + strings.Join(lines, "\x1b[K\n") + "\x1b[K\x1b[J"
}
