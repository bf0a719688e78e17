package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/build"
)

func versionCmd(a *app) *cobra.Command {
	return command("version", "Print the version", cobra.NoArgs, func(context.Context, []string) error {
		number, commit := build.Version()
		return a.say(map[string]string{"version": number, "revision": commit, "go": runtime.Version()}, versionLine())
	})
}

// versionLine is what version and --version print.
func versionLine() string {
	number, commit := build.Version()
	if commit != "" {
		number += " (" + commit + ")"
	}
	return fmt.Sprintf("rnixfs %s %s %s/%s", number, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

func licensesCmd(a *app) *cobra.Command {
	return command("licenses", "Print the licences of what this program is made of", cobra.NoArgs, func(context.Context, []string) error {
		_, err := io.WriteString(a.out, build.Notices)
		return err
	})
}

func manCmd(_ *app) *cobra.Command {
	return &cobra.Command{
		Use:   "man DIR",
		Short: "Write the manual pages to DIR",
		Args:  usageArgs(cobra.ExactArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			if err := os.MkdirAll(args[0], 0o755); err != nil {
				return err
			}
			number, _ := build.Version()
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Title: "RNIXFS", Section: "1", Source: "rnixfs " + number}, args[0])
		},
	}
}
