package cli

import (
	"github.com/spf13/cobra"
)

func (a *app) contextCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "context",
		Short: "Print what an agent is shown of memory when it starts here",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			block, err := a.read(c.Context(), "context")
			if err != nil {
				return err
			}
			_, err = a.out.Write(block)
			return err
		},
	}
}
