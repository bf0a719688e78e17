package cli

import (
	"context"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

func checkCmd(a *app) *cobra.Command {
	return command("check", "Examine the stored memory of this project, the global one and the profile", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return examine(ctx, a, store.Reader.Check) })
}

func repairCmd(a *app) *cobra.Command {
	return command("repair", "Mend what can be mended in the stored memory without loss", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return examine(ctx, a, store.Reader.Repair) })
}

func examine(ctx context.Context, a *app, do func(store.Reader, context.Context) (memory.Health, error)) error {
	return a.withKernel(ctx, func(k *daemon.Kernel) error {
		found, bad := k.Examine(ctx, do), false
		for _, h := range found {
			bad = bad || h.Err != "" || len(h.Problems) > 0
		}
		if err := a.print(found, func(w io.Writer) { showHealth(w, found) }); err != nil || !bad {
			return err
		}
		return withExit(exitProblems, nil)
	})
}

func showHealth(w io.Writer, found []daemon.ScopeHealth) {
	for _, h := range found {
		switch {
		case h.Err != "":
			fmt.Fprintf(w, "%-13s FAIL  %s: %s\n      mend: %s\n", h.Scope, h.Folder, h.Err, h.Mend)
		case len(h.Problems) == 0:
			fmt.Fprintf(w, "%-13s ok    %s (entries: %d)\n", h.Scope, h.Folder, h.Entries)
		default:
			fmt.Fprintf(w, "%-13s       %s (entries: %d, problems: %d)\n", h.Scope, h.Folder, h.Entries, len(h.Problems))
		}
		for _, p := range h.Problems {
			fmt.Fprintf(w, "  %s: %s (%s)\n", oneLine(p.Path, 400), oneLine(p.Reason, 400), p.Code)
			if p.Mend != "" {
				fmt.Fprintf(w, "      mend: %s\n", p.Mend)
			}
		}
	}
}
