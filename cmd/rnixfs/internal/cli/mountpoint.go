package cli

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func mountpointCmd(a *app) *cobra.Command {
	var showState bool
	cmd := command("mountpoint", "Print where the devices are, or would be, mounted", cobra.NoArgs, func(context.Context, []string) error {
		mountpoint, err := a.mountpoint()
		if err != nil {
			return err
		}
		if !showState {
			_, err = fmt.Fprintln(a.out, mountpoint)
			return err
		}
		a.unnotify() // one that does not answer takes time
		state, err := fuse.MountState(mountpoint)
		if err != nil {
			return err
		}
		_, err = fmt.Fprintln(a.out, state)
		return err
	})
	cmd.Flags().BoolVar(&showState, "state", false, "print the state of the mount instead: none, live, stale, foreign, silent or covered")
	return cmd
}
