package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func statusCmd(a *app) *cobra.Command {
	return command("status", "Show health, counters and limits", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		mountpoint, err := a.mountpoint()
		if err != nil {
			return err
		}
		if state, _ := fuse.MountState(mountpoint); state == fuse.StateStale { // read says what else is wrong
			return withExit(exitNotFound, errStale(mountpoint))
		}
		body, err := a.read(ctx, "status")
		return a.finish(body, err, func(body []byte) error {
			var pretty bytes.Buffer
			if err := json.Indent(&pretty, body, "", "  "); err == nil {
				body = pretty.Bytes()
			}
			state, _ := fuse.MountState(mountpoint) // was just found out
			fmt.Fprintf(a.err, "%s: %s\n", shown(mountpoint), state)
			var s vfs.Status
			if err := json.Unmarshal(body, &s); err == nil {
				fmt.Fprintf(a.err, "your project: %s (%s)\n", cmp.Or(s.You.Project, "none"), s.You.Why)
			}
			_, err := a.out.Write(body)
			return err
		})
	})
}
