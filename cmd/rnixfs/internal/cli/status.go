package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func (a *app) statusCmd() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show health, counters and limits",
		Args:  usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			mountpoint, err := a.mountpoint()
			if err != nil {
				return err
			}
			state := fuse.StateNone
			body, err := awaitMount(c.Context(), mountpoint, func() ([]byte, error) {
				if err := a.served(mountpoint); err != nil {
					return nil, err
				}
				return os.ReadFile(filepath.Join(mountpoint, "status"))
			})
			switch {
			case err == nil:
				state = fuse.StateLive
			case errors.Is(err, errNoMount):
				state, _ = fuse.MountState(mountpoint) // was just found out
				body, err = a.callKernel(c.Context(), "status", nil)
			}
			return a.finish(body, err, func(body []byte) error {
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, body, "", "  "); err == nil {
					body = pretty.Bytes()
				}
				fmt.Fprintf(a.err, "%s: %s\n", mountpoint, state)
				_, err := a.out.Write(body)
				return err
			})
		},
	}
}
