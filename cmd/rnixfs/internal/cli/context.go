package cli

import (
	"context"

	"github.com/spf13/cobra"
)

func contextCmd(a *app) *cobra.Command {
	return command("context", "Print what an agent is shown of memory when it starts here", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		block, err := a.read(ctx, "context")
		if err != nil {
			return err
		}
		_, err = a.out.Write(block)
		return err
	})
}
