package cli

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func allowCmd(a *app) *cobra.Command {
	var reason string
	cmd := command("allow --last", "Allow what the scanner refused here last, if it was a false alarm", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return allowLast(ctx, a, reason) })
	cmd.Long = `allow shows what was refused last in this project, masked as ever (of a file
that was changed by hand the words, but for secrets), asks for the reason why it may be
remembered all the same, and enters an exception into your own memory.yaml. From then
on a value that was no secret passes anywhere; an order or a command passes in that
same text alone. It returns when the mount has taken that over.

It is for a person: where none is at its terminal, it refuses. To take it back, remove
the lines that it prints.`
	cmd.Flags().Bool("last", false, "what was refused last in this project; required")
	cmd.Flags().StringVar(&reason, "reason", "", "why it is a false alarm; without one you are asked")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if !cmd.Flags().Changed("last") {
			return withExit(exitUsage, errors.New("allow: say what: --last"))
		}
		return nil
	}
	return cmd
}

func allowLast(ctx context.Context, a *app, reason string) error {
	in, _ := a.in.(*os.File)
	out, _ := a.out.(*os.File)
	self := daemon.Self()
	if !isTerminal(in) || !isTerminal(out) || self.Trust != memory.TrustHuman {
		return memory.Errorf(memory.KindDenied, "allow", "only a person allows what was refused: in a terminal of their own, not in an agent's, nor through a pipe")
	}
	p, err := paths.Find()
	if err != nil {
		return err
	}
	r, err := daemon.LastRefusal(p, self.Project)
	if errors.Is(err, fs.ErrNotExist) {
		err = memory.Errorf(memory.KindNotFound, "allow", "nothing was refused in %s; go where the agent works; where another user serves the mount, their memory.yaml says what passes",
			cmp.Or(self.Project, "a directory without a project"))
	}
	if err != nil {
		return err
	}
	showRefusal(a.out, r)
	if len(r.Fingerprints) == 0 || slices.Contains(r.Fingerprints, "") {
		return memory.Errorf(memory.KindDenied, "allow", "this can't be allowed: what was found has no fingerprint; have it worded otherwise")
	}
	if reason == "" {
		fmt.Fprint(a.out, "Why is it a false alarm? (nothing: it stays refused) ")
		line, err := await(ctx, fuse.Patience{}, func() (string, error) { return bufio.NewReader(in).ReadString('\n') })
		if reason = oneLine(strings.TrimSpace(line), 200); reason == "" {
			return errors.Join(err, errors.New("it stays refused"))
		}
	}
	before := a.mountStatus().Config.Allowed
	var lines []string
	path, err := a.editConfig(func(old []byte) (text []byte, err error) {
		text, lines, err = config.AddAllow(old, r.Fingerprints, reason)
		return text, err
	})
	if err != nil {
		return err
	}
	if !a.awaitAllowed(before, len(lines)) {
		fmt.Fprintln(a.err, "the mount has not taken it over yet; rnixfs doctor says why, if it does not")
	}
	if r.File != "" {
		fmt.Fprintf(a.err, "to remember it, move %s back\n", r.File)
	}
	return a.say(map[string]any{"ok": true, "file": path, "lines": lines},
		fmt.Sprintf("allowed, by these lines of %s; remove them to take it back:\n%s", path, strings.TrimRight(strings.Join(lines, ""), "\n")))
}

// showRefusal shows what is known of a refusal. Of a change by hand these are the words,
// which are in the file that was set aside; those of a request are kept nowhere.
func showRefusal(w io.Writer, r daemon.Refusal) {
	if r.File != "" {
		fmt.Fprintf(w, "refused %s, a change by hand, set aside as %s:\n", minute(r.At), r.File)
	} else {
		fmt.Fprintf(w, "refused %s, a request of %s (%s, process %d) to %s:\n", minute(r.At), filepath.Base(r.By.Exe), r.By.Trust, r.By.PID, r.By.Road)
	}
	for _, f := range r.Findings {
		fmt.Fprintf(w, "  line %d: %s (%s, %s): %s\n", f.Line, f.Description, f.Rule, f.Category, oneLine(f.Preview, 80))
	}
	raw, err := os.ReadFile(r.File)
	if err != nil {
		fmt.Fprintln(w, "The exact words are not kept: have the agent show them to you before you allow them.")
	}
	shown := memory.Cut(string(raw), 20_000)
	for line := range strings.Lines(shown) {
		fmt.Fprintf(w, "  | %q\n", strings.TrimRight(line, "\n")) // quoted, so that hidden characters show
	}
	if len(shown) < len(raw) {
		fmt.Fprintln(w, "This is the beginning: read the rest in the file before you allow it.")
	}
}

// awaitAllowed waits some seconds until the mount has more exceptions in force than before.
func (a *app) awaitAllowed(before *int, more int) bool {
	for range 250 {
		now := a.mountStatus().Config.Allowed
		if before == nil || now == nil || *now >= *before+more {
			return true
		}
		time.Sleep(20 * time.Millisecond)
	}
	return false
}
