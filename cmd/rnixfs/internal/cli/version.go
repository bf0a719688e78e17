package cli

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// version is set by the linker for a release.
var version = "devel"

func versionCmd(a *app) *cobra.Command {
	return command("version", "Print the version", cobra.NoArgs, func(context.Context, []string) error {
		rev := ""
		if info, ok := debug.ReadBuildInfo(); ok {
			for _, s := range info.Settings {
				if s.Key == "vcs.revision" {
					rev = s.Value
				}
			}
		}
		return a.say(map[string]string{"version": version, "revision": rev, "go": runtime.Version()},
			fmt.Sprintf("rnixfs %s %s %s/%s", version, runtime.Version(), runtime.GOOS, runtime.GOARCH))
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
			return doc.GenManTree(c.Root(), &doc.GenManHeader{Title: "RNIXFS", Section: "1", Source: "rnixfs " + version}, args[0])
		},
	}
}
