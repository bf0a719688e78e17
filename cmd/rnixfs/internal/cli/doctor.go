package cli

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/doctor"
)

func (a *app) doctorCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "doctor",
		Short: "Find out what keeps rnixfs from working, and how to mend it",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			mountpoint, err := a.mountpoint()
			if err != nil {
				return err
			}
			found := doctor.Diagnose(c.Context(), a.config, mountpoint)
			failed := false
			for _, d := range found {
				failed = failed || d.State == "fail"
			}
			if a.json {
				if err := json.NewEncoder(a.out).Encode(found); err != nil {
					return err
				}
			} else {
				for _, d := range found {
					fmt.Fprintf(a.out, "%-5s %-15s %s\n", d.State, d.Check, strings.ReplaceAll(d.Found, "\n", "\n                      "))
					if d.Mend != "" {
						fmt.Fprintf(a.out, "                      mend: %s\n", d.Mend)
					}
				}
			}
			if failed {
				return withExit(exitProblems, nil)
			}
			return nil
		},
	}
}
