package cli

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/child"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

func runCmd(a *app) *cobra.Command {
	var agent string
	cmd := &cobra.Command{
		Use:   "run [--agent KIND] -- COMMAND [ARG...]",
		Short: "Run an agent, and hand over its conversation when it ends",
		Long: `Run COMMAND on this terminal as if it had been started directly, and hand its
conversation to the writeback when it has ended. Use it for agents without hooks;
with both it is handed over once. With RNIX_HOOKS=off in the environment it is not.

The agent is known by the name of its program: ` + strings.Join(agents.Kinds(), ", ") + `.
For a program of another name, say which with --agent. The exit status is the
command's; after a signal this process ends by the same one.

COMMAND finds in its environment:

    RNIX_SESSION   id of this run
    RNIX_MEMORY    where memory is, or would be, mounted
    RNIX_PROJECT   root of the project, when it runs in one`,
		Example: "  rnixfs run -- aider --model sonnet\n  rnixfs run --agent claude -- npx @anthropic-ai/claude-code",
		Args:    runArgs,
		RunE: func(c *cobra.Command, args []string) error {
			kind := agents.OfCommand(args[0])
			if agent != "" {
				if !slices.Contains(agents.Kinds(), agent) {
					return withExit(exitRun, fmt.Errorf("unknown agent %q; it is one of %s", agent, strings.Join(agents.Kinds(), ", ")))
				}
				kind = agent
			}
			return runProgram(context.WithoutCancel(c.Context()), a, kind, args)
		},
	}
	cmd.Flags().StringVar(&agent, "agent", "", "which agent it is, where the name of the program does not tell")
	cmd.Flags().SetInterspersed(false)
	cmd.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return withExit(exitRun, fmt.Errorf("%w\nsee: %s --help", err, c.CommandPath()))
	})
	return cmd
}

func runArgs(c *cobra.Command, args []string) error {
	if len(args) == 0 {
		return withExit(exitRun, fmt.Errorf("run: no command is given\nsee: %s --help", c.CommandPath()))
	}
	return nil
}

func runProgram(ctx context.Context, a *app, kind string, args []string) error {
	a.unnotify() // signals are the command's
	job := spool.Job{Agent: kind, Session: uuid.Must(uuid.NewV7()).String(), Event: "exit", UID: uint32(os.Getuid())}
	set := map[string]string{"RNIX_SESSION": job.Session}
	set["RNIX_MEMORY"], _ = a.mountpoint() // no home, no mount: the command runs anyway
	set["RNIX_PROJECT"] = ""
	if cwd, err := os.Getwd(); err == nil {
		job.Project = cwd
		set["RNIX_PROJECT"], _ = paths.Project(cwd)
	}
	job.Start = time.Now().UTC()
	status, err := child.Run(child.Program{Args: args, Env: child.Environ(os.Environ(), set)})
	job.End, job.ExitCode = time.Now().UTC(), &status.Code
	switch {
	case err != nil:
		return withExit(cmp.Or(status.Code, exitRun), err)
	case kind != "" && os.Getenv("RNIX_HOOKS") != "off" && os.Getenv(llm.Own) == "":
		if err := ended(ctx, a, job); err != nil {
			fmt.Fprintf(a.err, "rnixfs: the conversation was not handed over: %s\n", shown(err.Error()))
		}
	}
	if status.Signal != 0 {
		child.Die(status.Signal)
	}
	return withExit(status.Code, nil)
}

// spool is where conversations held in a directory wait to be learned from, nil where
// that is switched off.
func (a *app) spool(ctx context.Context, dir string) (*spool.Spool, error) {
	p, err := paths.Find()
	if err != nil {
		return nil, err
	}
	enabled, rules := daemon.WritebackEnabled(ctx, p, a.config, dir)
	if !enabled {
		return nil, nil
	}
	return spool.New(p.Spool(uint32(os.Getuid())), spool.Options{Name: gate.New(rules, daemon.FingerprintKey(p), false).Name}), nil
}

// handOver gives the job of a hook to the writeback.
func (a *app) handOver(ctx context.Context, job spool.Job) error {
	s, err := a.spool(ctx, job.Project)
	if s == nil {
		return err
	}
	if _, err = s.Submit(ctx, job); err == nil && job.Subagent == "" {
		_ = s.Note(job.Session, job) // it only spares a search: see ended
	}
	return err
}
