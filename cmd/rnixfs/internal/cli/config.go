package cli

import (
	"cmp"
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
)

func (a *app) configCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check or print the configuration (memory.yaml)",
		RunE:  groupRun,
	}
	cmd.AddCommand(
		command("check [FILE]", "Say what is wrong with memory.yaml, with line and column", cobra.MaximumNArgs(1), a.checkSettings),
		command("print", "Print the configuration in force, and where each value comes from", cobra.NoArgs, a.printSettings),
	)
	return cmd
}

func (a *app) checkSettings(ctx context.Context, args []string) error {
	p, err := paths.Find()
	if err != nil {
		return err
	}
	loaded, err := config.Load(ctx, daemon.ConfigSources(p, cmp.Or(append(args, a.config)...), ""))
	if err == nil {
		err = gate.Check(loaded)
	}
	if err != nil {
		return withExit(exitConfig, err)
	}
	if len(loaded.Files) == 0 {
		fmt.Fprintln(a.out, "no memory.yaml found; the defaults are in force")
	}
	for _, f := range loaded.Files {
		fmt.Fprintf(a.out, "%s: ok\n", f)
	}
	return nil
}

func (a *app) printSettings(ctx context.Context, _ []string) error {
	loaded, err := a.settings(ctx, "")
	if err != nil {
		return withExit(exitConfig, err)
	}
	a.warn(loaded)
	_, err = fmt.Fprint(a.out, loaded.Explain())
	return err
}
