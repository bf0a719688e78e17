package cli

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/doctor"
)

func doctorCmd(a *app) *cobra.Command {
	return command("doctor", "Find out what keeps rnixfs from working, and how to mend it", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		mountpoint, err := a.mountpoint()
		if err != nil {
			return err
		}
		found, failed := doctor.Diagnose(ctx, a.config, mountpoint), false
		for i := range found {
			found[i].Found, found[i].Mend = shown(found[i].Found), shown(found[i].Mend)
		}
		err = a.print(found, func(w io.Writer) {
			for _, d := range found {
				fmt.Fprintf(w, "%-5s %-15s %s\n", d.State, d.Check, strings.ReplaceAll(d.Found, "\n", "\n                      "))
				if d.Mend != "" {
					fmt.Fprintf(w, "                      mend: %s\n", d.Mend)
				}
			}
		})
		for _, d := range found {
			failed = failed || d.State == "fail"
		}
		if err != nil || !failed {
			return err
		}
		return withExit(exitProblems, nil)
	})
}
