package cli

import (
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
		&cobra.Command{
			Use:   "check [FILE]",
			Short: "Say what is wrong with memory.yaml, with line and column",
			Args:  usageArgs(cobra.MaximumNArgs(1)),
			RunE: func(c *cobra.Command, args []string) error {
				p, err := paths.Find()
				if err != nil {
					return err
				}
				file := a.config
				if len(args) == 1 {
					file = args[0]
				}
				loaded, err := config.Load(c.Context(), daemon.ConfigSources(p, file, ""))
				if err != nil {
					return withExit(exitConfig, err)
				}
				if err := gate.Check(loaded); err != nil {
					return withExit(exitConfig, err)
				}
				if len(loaded.Files) == 0 {
					fmt.Fprintln(a.out, "no memory.yaml found; the defaults are in force")
				}
				for _, f := range loaded.Files {
					fmt.Fprintf(a.out, "%s: ok\n", f)
				}
				return nil
			},
		},
		&cobra.Command{
			Use:   "print",
			Short: "Print the configuration in force, and where each value comes from",
			Args:  usageArgs(cobra.NoArgs),
			RunE: func(c *cobra.Command, _ []string) error {
				loaded, err := a.settings(c.Context(), "")
				if err != nil {
					return withExit(exitConfig, err)
				}
				a.warn(loaded)
				_, err = fmt.Fprint(a.out, loaded.Explain())
				return err
			},
		},
	)
	return cmd
}
