package cli

import (
	"bytes"
	"encoding/json"
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
			state, err := fuse.MountState(mountpoint)
			if err != nil {
				return err
			}
			var body []byte
			switch {
			case state != fuse.StateLive && a.mount != "":
				return notMounted(mountpoint)
			case state == fuse.StateLive:
				body, err = os.ReadFile(filepath.Join(mountpoint, "status"))
			default:
				body, err = a.callKernel(c.Context(), "status", nil)
			}
			if err != nil {
				return err
			}
			if !a.json {
				var pretty bytes.Buffer
				if err := json.Indent(&pretty, body, "", "  "); err == nil {
					body = pretty.Bytes()
				}
				fmt.Fprintf(a.err, "%s: %s\n", mountpoint, state)
			}
			_, err = a.out.Write(body)
			return err
		},
	}
}
