package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
)

// installer is the flags of one installation.
type installer struct {
	dryRun, remove, project, recall bool
}

func installCmd(a *app) *cobra.Command {
	var in installer
	cmd := &cobra.Command{
		Use:   "install AGENT",
		Short: "Enter the hooks into an agent's settings",
		Long: `Enter the hooks into the settings of an agent: claude, codex or gemini. From then
on a session that starts is shown what is remembered, and conversations are handed
to the writeback.

The file is edited as text; what else stands in it is left as it is, and the old
file is kept beside it. A file that is not understood is left alone. --uninstall
takes the hooks out again.`,
		Example:   "  rnixfs install claude --dry-run\n  rnixfs install claude\n  rnixfs install claude --uninstall",
		Args:      usageArgs(cobra.ExactArgs(1)),
		ValidArgs: agents.Names(),
		RunE: func(_ *cobra.Command, args []string) error {
			agent := agents.ByName(args[0])
			if agent == nil {
				return withExit(exitUsage, fmt.Errorf("unknown agent %q; it is one of %s", args[0], strings.Join(agents.Names(), ", ")))
			}
			return install(a, agent, in)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&in.dryRun, "dry-run", false, "print what would change, and change nothing")
	f.BoolVar(&in.remove, "uninstall", false, "take the hooks out again")
	f.BoolVar(&in.project, "project", false, "in the settings of this project, not the user's")
	f.BoolVar(&in.recall, "recall", false, "also search memory on every prompt")
	return cmd
}

func install(a *app, agent *agents.Agent, in installer) error {
	path, err := settingsOf(agent, in)
	if err != nil {
		return err
	}
	command := agents.Command{Recall: in.recall}
	if command.Binary, err = self(); err != nil {
		return err
	}
	planned := agent.Install
	if in.remove {
		planned = agent.Uninstall
	}
	plan, err := planned(path, command)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !in.dryRun {
		if err := plan.Apply(); err != nil {
			return err
		}
	}
	return showPlan(a, agent, in, plan)
}

// settingsOf is the file to edit.
func settingsOf(agent *agents.Agent, in installer) (string, error) {
	if !in.project {
		home, err := paths.Home()
		if err != nil {
			return "", fmt.Errorf("find the home directory: %w (set HOME)", err)
		}
		return agent.Settings(os.Getenv, home, ""), nil
	}
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root, ok := paths.Project(cwd)
	switch {
	case ok:
	case in.remove: // what was entered there when this was no project, or by hand
		root = cwd
	default:
		return "", withExit(exitUsage, fmt.Errorf("--project: %s is in no project: neither it nor a folder above it has a .git or a .rnix; go into one, or make one with mkdir .rnix", cwd))
	}
	return agent.Settings(os.Getenv, "", root), nil
}

// self is the absolute path by which this program is to be started: the one in
// PATH where that is this program, for a link there outlives a new version.
func self() (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	own, err := os.Stat(exe)
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	if found, err := exec.LookPath("rnixfs"); err == nil && filepath.IsAbs(found) {
		if fi, err := os.Stat(found); err == nil && os.SameFile(fi, own) {
			return found, nil
		}
	}
	return exe, nil
}

func showPlan(a *app, agent *agents.Agent, in installer, plan *agents.Plan) error {
	f := plan.File
	backup := ""
	if plan.Keep != nil {
		backup = f.Backup()
	}
	if in.remove && plan.Changed() && !plan.Exact { // others have edited the file since
		if _, err := os.Lstat(f.Backup()); err == nil {
			backup = f.Backup()
		}
	}
	diff := agents.Diff(f.Path, f.Text, plan.Text)
	report := map[string]any{
		"agent": agent.Name, "file": f.Path, "changed": plan.Changed(), "removed": in.remove, "dry_run": in.dryRun,
		"backup": backup, "diff": diff,
	}
	return a.print(report, func(w io.Writer) {
		switch {
		case !plan.Changed() && in.remove:
			fmt.Fprintf(w, "no hooks of rnixfs in %s\n", f.Path)
		case !plan.Changed():
			fmt.Fprintf(w, "the hooks are in %s already\n", f.Path)
		case in.dryRun:
			fmt.Fprint(w, diff)
		case in.remove:
			fmt.Fprintf(w, "hooks removed from %s\n", f.Path)
			if backup != "" {
				fmt.Fprintf(w, "it was changed since they were entered; what was there before is still kept in %s\n", backup)
			}
		default:
			fmt.Fprintf(w, "hooks entered into %s\n", f.Path)
			if backup != "" {
				fmt.Fprintf(w, "what was there is kept in %s\n", backup)
			}
			if agent.Note != "" {
				fmt.Fprintln(w, agent.Note)
			}
		}
	})
}
