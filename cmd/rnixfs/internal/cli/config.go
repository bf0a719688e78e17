package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/gate"
	"github.com/rnixfs/rnixfs/kernel/vfs"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func configCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "config",
		Short: "Check or print the configuration (memory.yaml)",
		RunE:  groupRun,
	}
	var preset string
	show := command("print", "Print the configuration in force, and where each value comes from", cobra.NoArgs,
		func(ctx context.Context, _ []string) error { return printSettings(ctx, a, preset) })
	show.Flags().StringVar(&preset, "preset", "", "print the rows of this preset instead: "+strings.Join(config.Presets(), ", "))
	cmd.AddCommand(
		command("check [FILE]", "Say what is wrong with memory.yaml, with line and column", cobra.MaximumNArgs(1),
			func(ctx context.Context, args []string) error { return checkSettings(ctx, a, args) }),
		show,
	)
	return cmd
}

func checkSettings(ctx context.Context, a *app, args []string) error {
	p, err := paths.Find()
	if err != nil {
		return err
	}
	loaded, err := config.Load(ctx, daemon.ConfigSources(p, cmp.Or(append(args, a.config)...), ""))
	if err == nil {
		err = errors.Join(gate.Check(loaded), daemon.CheckModel(loaded.Config, a.programPath()))
	}
	if err != nil {
		return withExit(exitConfig, err)
	}
	if len(loaded.Files) == 0 {
		fmt.Fprintln(a.out, "no memory.yaml found; the defaults are in force")
	}
	for _, f := range loaded.Files {
		fmt.Fprintf(a.out, "%s: ok\n", shown(f))
	}
	return nil
}

func printSettings(ctx context.Context, a *app, preset string) error {
	if preset != "" {
		text, err := config.Preset(preset)
		if err != nil {
			return withExit(exitUsage, err)
		}
		fmt.Fprint(a.out, text)
		return nil
	}
	loaded, err := a.settings(ctx, "")
	if err != nil {
		return withExit(exitConfig, err)
	}
	a.warn(loaded)
	for line := range strings.Lines(loaded.Explain()) {
		fmt.Fprint(a.out, shown(line))
	}
	return nil
}

// programPath is the PATH in which writeback.command is looked for: the mount's, where
// there is one.
func (a *app) programPath() string {
	return cmp.Or(a.mountStatus().Config.Path, os.Getenv("PATH"))
}

// mountStatus is what the mount, where there is one, tells this user.
func (a *app) mountStatus() (status vfs.Status) {
	if mountpoint, err := a.mountpoint(); err == nil {
		if state, err := fuse.MountState(mountpoint); err == nil && state == fuse.StateLive {
			raw, _ := os.ReadFile(filepath.Join(mountpoint, "status")) // another user's says nothing
			_ = json.Unmarshal(raw, &status)
		}
	}
	return status
}

// editConfig puts an edited text in the place of the user's own memory.yaml, or of the
// file of --config, and returns its path.
func (a *app) editConfig(edit func(text []byte) ([]byte, error)) (path string, err error) {
	p, err := paths.Find()
	if err != nil {
		return "", err
	}
	path = cmp.Or(a.config, filepath.Join(p.Config, "memory.yaml"))
	f, err := agents.ReadSettings(path)
	if err != nil {
		return path, err
	}
	text, err := edit(f.Text)
	if err == nil {
		err = (&agents.Plan{File: f, Text: text}).Apply()
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return path, err
}
