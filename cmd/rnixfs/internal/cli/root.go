package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"sync"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
)

// Main runs the command line and returns its exit code.
func Main(args []string, in io.Reader, out, errOut io.Writer) int {
	// SIGINT and SIGTERM end a command by its context, such that what it mounted
	// is unmounted and what it began is finished or undone.
	ctx, stop := onSignals(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	a := &app{in: in, out: out, err: errOut, unnotify: stop}
	root := newRoot(a)
	root.SetArgs(args[1:])
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		fmt.Fprintf(errOut, "rnixfs: %s\n", shown(err.Error()))
	}
	return exitCode(err)
}

// shown is a text that may quote what was typed, or a path, without secrets.
func shown(text string) string { return builtIn().Name("", text) }

var builtIn = sync.OnceValue(func() *gate.Gate { return gate.New(config.Default().Scanner, nil, false) })

func newRoot(a *app) *cobra.Command {
	root := &cobra.Command{
		Use:   "rnixfs",
		Short: "Memory for AI agents, as a device",
		Long: `rnixfs mounts memory as files: a program that can write a file can remember,
a program that can read a file can recall.

    rnixfs mount
    echo '{"action":"add","content":"The API signs JWTs with RS256"}' > /dev/memory/commit
    echo '{"query":"how do we sign tokens"}' > /dev/memory/recall; cat /dev/memory/recall

The commands commit, profile and recall do the same from the command line, with a
mount or without one.`,
		SuggestionsMinimumDistance: 2,
		Args:                       cobra.ArbitraryArgs,
		RunE:                       groupRun,
		PersistentPreRunE:          func(c *cobra.Command, _ []string) error { return checkConfig(a, c) },
		SilenceErrors:              true,
		SilenceUsage:               true,
	}
	root.Version = versionLine()
	root.SetVersionTemplate("{{.Version}}\n")
	root.SetIn(a.in)
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return withExit(exitUsage, fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath()))
	})
	f := root.PersistentFlags()
	f.BoolVar(&a.json, "json", false, "print JSON")
	f.StringVar(&a.mount, "mountpoint", "", "the mount to use, which must be there (default: the one at $RNIXFS_MOUNTPOINT or the usual place, if any)")
	f.StringVar(&a.config, "config", "", "the configuration file to use instead of the usual ones")
	root.AddCommand(
		mountCmd(a), umountCmd(a), mountpointCmd(a), statusCmd(a), metricsCmd(a), topCmd(a),
		entriesCmd(a, "commit"), entriesCmd(a, "profile"), allEntriesCmd(a), recallCmd(a), knowledgeCmd(a), contextCmd(a), eventsCmd(a),
		logCmd(a), undoCmd(a), gcCmd(a),
		importCmd(a), exportCmd(a), processesCmd(a), writebackCmd(a),
		doctorCmd(a), configCmd(a), checkCmd(a), repairCmd(a), scanCmd(a), allowCmd(a),
		runCmd(a), installCmd(a), hookCmd(a), memoryToolCmd(a), toolCmd(a), mcpCmd(a),
		versionCmd(a), licensesCmd(a), manCmd(a),
	)
	strictHelp(root)
	root.InitDefaultCompletionCmd()
	if c, _, err := root.Find([]string{"completion", "powershell"}); err == nil {
		c.Parent().RemoveCommand(c) // nothing is mounted where it runs
	}
	return root
}

// strictHelp has help on what is not there fail as the command itself would.
func strictHelp(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	i := slices.IndexFunc(root.Commands(), func(c *cobra.Command) bool { return c.Name() == "help" })
	help := root.Commands()[i]
	help.Run = nil
	help.RunE = func(_ *cobra.Command, args []string) error {
		found, rest, err := root.Find(args)
		if err != nil || len(rest) > 0 {
			return withExit(exitUsage, fmt.Errorf("unknown command %q\nsee: rnixfs --help", strings.Join(args, " ")))
		}
		found.InitDefaultHelpFlag()
		return found.Help()
	}
}

// checkConfig refuses the file of --config where it can't be in force, also for a
// command that a mount with a configuration of its own answers. A hook never fails
// because of memory.yaml; doctor and config say themselves what is wrong with it;
// help and what is made of it read none.
func checkConfig(a *app, c *cobra.Command) error {
	if a.config == "" {
		return nil
	}
	top := c
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	code := exitConfig
	switch top.Name() {
	case "hook", "doctor", "config", "help", "man", "version", "licenses", "completion":
		return nil
	case "run":
		code = exitRun
	}
	if _, err := config.Load(c.Context(), config.Sources{Explicit: a.config}); err != nil {
		return withExit(code, err)
	}
	return nil
}
