package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/vfs/fuse"
)

// app is what every command shares: its streams and the global flags.
type app struct {
	in       io.Reader
	out, err io.Writer
	json     bool
	mount    string                         // --mountpoint
	config   string                         // --config
	warned   bool                           // of the configuration
	unnotify func()                         // gives SIGINT and SIGTERM back their default
	kept     func() (*daemon.Kernel, error) // what withKernel uses for a command that asks again and again; nil: none
}

// command is a command that needs nothing of cobra but its arguments.
func command(use, short string, args cobra.PositionalArgs, run func(context.Context, []string) error) *cobra.Command {
	return &cobra.Command{
		Use: use, Short: short, Args: usageArgs(args),
		RunE: func(c *cobra.Command, args []string) error { return run(c.Context(), args) },
	}
}

// usageArgs makes an argument check fail with the usage exit code.
func usageArgs(check cobra.PositionalArgs) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if err := check(c, args); err != nil {
			return withExit(exitUsage, fmt.Errorf("%s: %w\nsee: %s --help", c.Name(), err, c.CommandPath()))
		}
		return nil
	}
}

// groupRun is what a command does that only has subcommands.
func groupRun(c *cobra.Command, args []string) error {
	if len(args) > 0 {
		hint := ""
		if near := c.SuggestionsFor(args[0]); len(near) > 0 {
			hint = "; did you mean " + strings.Join(near, " or ") + "?"
		}
		return withExit(exitUsage, fmt.Errorf("unknown command %q%s\nsee: %s --help", args[0], hint, c.CommandPath()))
	}
	return errors.Join(c.Help())
}

// logger writes to stderr: text for a person at a terminal, JSON for a log.
func (a *app) logger(level slog.Leveler) *slog.Logger {
	opts := &slog.HandlerOptions{Level: level}
	f, _ := a.err.(*os.File)
	switch {
	case isTerminal(f):
		return slog.New(slog.NewTextHandler(f, opts))
	case isJournal(f):
		return slog.New(slog.NewJSONHandler(journal{f}, opts))
	}
	return slog.New(slog.NewJSONHandler(a.err, opts))
}

// mountpoint is the mount that this command means; args name it first.
func (a *app) mountpoint(args ...string) (string, error) {
	args = append(args, a.mount, os.Getenv("RNIXFS_MOUNTPOINT"))
	if dir := cmp.Or(args...); dir != "" {
		return filepath.Abs(dir)
	}
	p, err := paths.Find()
	if err != nil {
		return "", err
	}
	mountpoint, err := p.Mountpoint()
	if mountpoint == paths.Device { // a container has a /dev of its own, without the link
		there, _ := fuse.Mounted(paths.Device) // who uses it says what is wrong
		if shared, _ := fuse.Mounted(paths.Shared); shared && !there {
			return paths.Shared, nil
		}
	}
	return mountpoint, err
}

// withKernel calls fn with a kernel in this process.
func (a *app) withKernel(ctx context.Context, fn func(*daemon.Kernel) error) (err error) {
	if a.kept != nil {
		k, err := a.kept()
		if err != nil {
			return withExit(exitConfig, err)
		}
		return fn(k)
	}
	k, err := daemon.New(ctx, daemon.Options{ConfigFile: a.config, Absent: absent()})
	if err != nil {
		return withExit(exitConfig, err)
	}
	defer func() { err = errors.Join(err, k.Close()) }()
	a.warn(k.Config())
	return fn(k)
}

// absent is the mountpoint that $RNIXFS_MOUNTPOINT names, where its mount is not there.
func absent() string {
	dir := os.Getenv("RNIXFS_MOUNTPOINT")
	if dir == "" {
		return ""
	}
	if state, err := fuse.MountState(dir); err == nil && state.Served() {
		return ""
	}
	return dir
}

// withOwn calls fn with what a kernel in this process keeps of its user.
func (a *app) withOwn(ctx context.Context, fn func(*daemon.User) error) error {
	return a.withKernel(ctx, func(k *daemon.Kernel) error {
		own, err := k.Own()
		if err != nil {
			return err
		}
		return fn(own)
	})
}

// settings are the configuration of this command.
func (a *app) settings(ctx context.Context, project string) (*config.Loaded, error) {
	p, err := paths.Find()
	if err != nil {
		return nil, err
	}
	return config.Working(ctx, daemon.ConfigSources(p, a.config, project))
}

// maxWarnings bounds the mistakes of a project's file that are shown.
const maxWarnings = 5

// warn says, once, what is wrong with files that are left out of a configuration.
func (a *app) warn(l *config.Loaded) {
	if l.Refused == nil || a.warned {
		return
	}
	a.warned = true
	listed(a.err, len(l.Refused.Problems), maxWarnings, "more mistakes", func(i int) string {
		return "warning: " + oneLine(shown(l.Refused.Problems[i].Error()), 400)
	})
	fmt.Fprintln(a.err, "rnixfs: warning: this is not in force; rnixfs config check shows what to mend")
}
