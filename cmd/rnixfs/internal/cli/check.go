package cli

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
)

func (a *app) checkCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "check",
		Short: "Examine the stored memory of this project, the global one and the profile",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.examine(c.Context(), (*daemon.Kernel).Check)
		},
	}
}

func (a *app) repairCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "repair",
		Short: "Mend what can be mended in the stored memory without loss",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			return a.examine(c.Context(), (*daemon.Kernel).Repair)
		},
	}
}

func (a *app) examine(ctx context.Context, do func(*daemon.Kernel, context.Context, memory.Caller) []daemon.ScopeHealth) error {
	k, err := a.kernel(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	found := do(k, ctx, daemon.Self())
	bad := 0
	for _, h := range found {
		bad += len(h.Problems)
		if h.Err != "" {
			bad++
		}
	}
	if a.json {
		if err := json.NewEncoder(a.out).Encode(found); err != nil {
			return err
		}
	} else {
		a.showHealth(found)
	}
	if bad > 0 {
		return withExit(exitProblems, nil)
	}
	return nil
}

func (a *app) showHealth(found []daemon.ScopeHealth) {
	for _, h := range found {
		switch {
		case h.Err != "":
			fmt.Fprintf(a.out, "%-13s FAIL  %s: %s\n", h.Scope, h.Folder, h.Err)
			fmt.Fprintf(a.out, "      mend: %s\n", h.Mend)
		case len(h.Problems) == 0:
			fmt.Fprintf(a.out, "%-13s ok    %s: %d entries\n", h.Scope, h.Folder, h.Entries)
		default:
			fmt.Fprintf(a.out, "%-13s       %s: %d entries, %d problems\n", h.Scope, h.Folder, h.Entries, len(h.Problems))
		}
		for _, p := range h.Problems {
			fmt.Fprintf(a.out, "  %s: %s (%s)\n", p.Path, p.Reason, p.Code)
			if p.Mend != "" {
				fmt.Fprintf(a.out, "      mend: %s\n", p.Mend)
			}
		}
	}
}
