package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
)

func metricsCmd(a *app) *cobra.Command {
	cmd := command("metrics", "Print the mount's figures for Prometheus", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		body, err := a.figures(ctx)
		if err != nil {
			return a.finish(nil, err, nil)
		}
		_, err = a.out.Write(body)
		return err
	})
	cmd.Long = `Print the figures of the device metrics in Prometheus' text format: requests, how long
they took, how full scopes are, what waits. Where nothing is mounted there are none, and
it fails. docs/operations.md says what each figure means, and how they get to Prometheus.`
	return cmd
}

// figures are those of the metrics device. A mount alone has any.
func (a *app) figures(ctx context.Context) ([]byte, error) {
	return a.ask(ctx, "metrics", func(path string) ([]byte, error) {
		body, err := os.ReadFile(path)
		if err == nil && bytes.HasPrefix(body, []byte("{")) { // a reply of the scope of this name; a session of its own has none
			body, err = os.ReadFile(filepath.Join(filepath.Dir(path), "s", "figures", "metrics"))
		}
		return body, err
	}, func(*daemon.Kernel) ([]byte, error) {
		return nil, a.unmounted("metrics", "the mount counts")
	})
}
