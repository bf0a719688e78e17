package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

func mountCmd(a *app) *cobra.Command {
	var foreground, allowOther, sessionRoot, debug bool
	var project string
	cmd := &cobra.Command{
		Use:   "mount [MOUNTPOINT]",
		Short: "Mount the memory devices",
		Long: `Mount the memory devices at MOUNTPOINT: /dev/memory for root, else
$XDG_RUNTIME_DIR/rnix/memory, unless you name another.

/dev/memory is a link to /run/rnix/memory. A container that is started with
-v /run/rnix:/run/rnix:rslave sees the mount there, and every later one.

It returns when the mount answers, and goes on in the background; -f stays in the
foreground, for systemd and containers. A mount left behind by a process that was
killed is replaced. Ask "rnixfs umount" to end it.

With -f, MOUNTPOINT may be /dev/fd/N: a FUSE device that a parent process with more
privileges has mounted (mount(2), "fd=N,rootmode=40000,user_id=...,group_id=...,
max_read=524288,default_permissions"). The parent unmounts it.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			mountpoint, err := a.mountpoint(args...)
			if err != nil {
				return err
			}
			if mountpoint == paths.Device && os.Geteuid() == 0 {
				mountpoint = paths.Shared
			}
			if project != "" {
				if project, err = projectDir(project); err != nil {
					return err
				}
			}
			if !foreground && fuse.IsDevice(mountpoint) {
				return withExit(exitUsage, fmt.Errorf("mount %s: a device that was handed down is served in the foreground, with -f", mountpoint))
			}
			if !foreground {
				return mountBackground(a, c, mountpoint, project)
			}
			var level slog.LevelVar
			most := slog.LevelError
			if debug {
				most = slog.LevelDebug
			}
			err = daemon.Serve(c.Context(), daemon.ServeOptions{
				Options:    daemon.Options{ConfigFile: a.config, Project: project, Logger: a.logger(&level), Level: &level, MaxLevel: most},
				Mountpoint: mountpoint,
				AllowOther: allowOther,
				Ready:      func(note string) { daemon.Report(note, nil) },

				SessionRoot: sessionRoot,
			})
			if err != nil {
				daemon.Report("", err)
				if _, bad := errors.AsType[*config.Error](err); bad {
					return withExit(exitConfig, err)
				}
				return withExit(exitMount, err)
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.BoolVarP(&foreground, "foreground", "f", false, "stay in the foreground")
	f.BoolVar(&allowOther, "allow-other", false, "let other users in, each with a profile of its own")
	f.BoolVar(&sessionRoot, "session-root", false, "refuse the devices outside of s/<id>/ to callers in other pid namespaces")
	f.StringVar(&project, "project", "", "the project of every caller, instead of each one's own")
	f.BoolVarP(&debug, "debug", "d", false, "log more")
	return cmd
}

// projectDir checks a directory that --project pins.
func projectDir(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		dir, err = filepath.EvalSymlinks(dir)
	}
	if err == nil {
		var fi os.FileInfo
		if fi, err = os.Stat(dir); err == nil && !fi.IsDir() {
			err = errors.New("not a directory")
		}
	}
	if err != nil {
		return "", withExit(exitUsage, fmt.Errorf("--project: %w", err))
	}
	return dir, nil
}

// mountBackground runs the same command in the foreground of another process.
func mountBackground(a *app, c *cobra.Command, mountpoint, project string) error {
	p, err := paths.Find()
	if err != nil {
		return err
	}
	args := []string{"mount", "-f"}
	c.Flags().Visit(func(f *pflag.Flag) {
		value := f.Value.String()
		switch f.Name {
		case "config":
			value, err = filepath.Abs(value)
		case "project":
			value = project
		}
		if !slices.Contains([]string{"foreground", "mountpoint", "json"}, f.Name) {
			args = append(args, "--"+f.Name+"="+value)
		}
	})
	if err != nil {
		return err
	}
	if loaded, err := a.settings(c.Context(), project); err == nil {
		a.warn(loaded) // the process in the background reports errors
	}
	note, code, err := daemon.Background(c.Context(), append(args, "--", mountpoint), p.Log())
	if note != "" {
		fmt.Fprintln(a.err, "rnixfs:", note)
	}
	switch {
	case err != nil && code > exitFailure:
		return withExit(code, err)
	case err != nil:
		return withExit(exitMount, fmt.Errorf("mount %s: %w", mountpoint, err))
	}
	return nil
}

func umountCmd(a *app) *cobra.Command {
	var lazy bool
	cmd := &cobra.Command{
		Use:   "umount [MOUNTPOINT]",
		Short: "Unmount the memory devices",
		Long: `Unmount the memory devices, and wait for the daemon's end: what it still had to
write is written. A mount in use is left alone, and you are told by whom it is
used, as is one that does not answer; --lazy detaches it at once and lets its
users finish.`,
		Args: usageArgs(cobra.MaximumNArgs(1)),
		RunE: func(_ *cobra.Command, args []string) error {
			mountpoint, err := a.mountpoint(args...)
			if err != nil {
				return err
			}
			a.unnotify() // there is nothing to undo, and a mount that does not answer takes time
			return unmount(a, mountpoint, lazy)
		},
	}
	cmd.Flags().BoolVarP(&lazy, "lazy", "l", false, "detach it now, also when it is in use")
	return cmd
}

// unmountTime is how long the daemon may take to end: longer than it waits for the
// requests that run.
const unmountTime = 15 * time.Second

func unmount(a *app, mountpoint string, lazy bool) error {
	if ours, err := fuse.Mounted(mountpoint); lazy && ours && err == nil {
		return fuse.Detach(mountpoint) // a statfs(2) may wait until a stopped server goes on
	}
	state, err := fuse.MountState(mountpoint)
	switch {
	case err != nil:
		return err
	case state == fuse.StateNone || state == fuse.StateForeign || state == fuse.StateCovered:
		return withExit(exitNotFound, fmt.Errorf("umount %s: nothing of rnixfs is mounted there", mountpoint))
	case state == fuse.StateStale:
		err := fuse.Detach(mountpoint)
		daemon.Unlink()
		return err
	}
	left, err := fuse.Unmount(mountpoint, unmountTime)
	if memory.KindOf(err) == memory.KindConflict {
		return withExit(exitBusy, err)
	}
	if left != 0 {
		fmt.Fprintf(a.err, "umount %s: it is unmounted; its process %d has not ended yet\n", shown(mountpoint), left)
	}
	return err
}
