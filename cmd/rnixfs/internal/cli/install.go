package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/paths"
	"github.com/rnixfs/rnixfs/kernel/agents"
	"github.com/rnixfs/rnixfs/kernel/config"
	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// installer is the flags of one installation.
type installer struct {
	dryRun, remove, project, recall, into, learn bool
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
file is kept beside it. A file that is not understood is left alone.

--into also tells the agent of memory in the project's CLAUDE.md, AGENTS.md or
GEMINI.md, in a marked block. --learn also has the agent's own program write memory:
once a conversation, without tools, at the cost of some ` + learnTokens + ` tokens each.

--uninstall takes out the hooks, that block and that program again.`,
		Example:   "  rnixfs install claude --dry-run\n  rnixfs install claude\n  rnixfs install claude --learn\n  rnixfs install claude --uninstall",
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
	f.BoolVar(&in.remove, "uninstall", false, "take out again what was entered")
	f.BoolVar(&in.project, "project", false, "in the settings of this project, not the user's")
	f.BoolVar(&in.recall, "recall", false, "also search memory on every prompt")
	f.BoolVar(&in.into, "into", false, "also tell the agent of memory in the instructions of this project")
	f.BoolVar(&in.learn, "learn", false, "also have the agent's program write memory, once a conversation")
	return cmd
}

func install(a *app, agent *agents.Agent, in installer) error {
	path, err := settingsOf(agent, in)
	if err != nil {
		return err
	}
	command := agents.Command{Recall: in.recall}
	if command.Binary, _, err = paths.Self(); err != nil {
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
	told, err := planInto(agent, in)
	if err != nil {
		return err
	}
	learned, err := planLearn(agent, in)
	if err != nil {
		return err
	}
	for _, p := range []*agents.Plan{plan, told, learned} {
		if p != nil && !in.dryRun {
			if err := p.Apply(); err != nil {
				return err
			}
		}
	}
	return showPlan(a, agent, in, plan, told, learned)
}

// learnTokens is about what a question about a conversation and its answer cost.
const learnTokens = "10,000"

// planInto plans the lines in the project's instructions; nil is for no change. What is
// in the place of the file and is none has nothing of ours to be taken out.
func planInto(agent *agents.Agent, in installer) (*agents.Plan, error) {
	if !in.into && !in.remove {
		return nil, nil
	}
	root, err := projectOf(in)
	if err != nil {
		return nil, err
	}
	lines := vfs.Told(daemon.Program(), "")
	if in.remove {
		lines = ""
	}
	plan, err := agents.Tell(agent.Instructions(root), lines)
	if in.remove && (err != nil || !plan.Changed()) {
		return nil, nil //nolint:nilerr // what can't be read has no lines of ours
	}
	return plan, err
}

// planLearn plans the agent's program in the user's own memory.yaml; nil is for no change.
func planLearn(agent *agents.Agent, in installer) (*agents.Plan, error) {
	if !in.learn && !in.remove {
		return nil, nil
	}
	p, err := paths.Find()
	if err != nil {
		return nil, err
	}
	f, err := agents.ReadSettings(filepath.Join(p.Config, "memory.yaml"))
	if err != nil {
		return nil, err
	}
	plan := &agents.Plan{File: f}
	if in.remove {
		plan.Text = config.RemoveCommand(f.Text, agent.Learn)
		plan.Gone = len(f.Text) > 0 && len(plan.Text) == 0
		if !plan.Changed() {
			return nil, nil
		}
		return plan, nil
	}
	if plan.Text, err = config.AddCommand(f.Text, agent.Learn); err != nil {
		return nil, fmt.Errorf("%s: %w", f.Path, err)
	}
	return plan, nil
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
	root, err := projectOf(in)
	if err != nil {
		return "", err
	}
	return agent.Settings(os.Getenv, "", root), nil
}

// projectOf is the project of the working directory.
func projectOf(in installer) (string, error) {
	cwd, err := os.Getwd()
	if err != nil {
		return "", err
	}
	root, ok := paths.Project(cwd)
	switch {
	case ok:
		return root, nil
	case in.remove: // what was entered there when this was no project, or by hand
		return cwd, nil
	}
	flag := "--project"
	if in.into && !in.project {
		flag = "--into"
	}
	return "", withExit(exitUsage, fmt.Errorf("%s: %s is in no project: neither it nor a folder above it has a .git or a .rnix; go into one, or make one with mkdir .rnix", flag, cwd))
}

func showPlan(a *app, agent *agents.Agent, in installer, plan, told, learned *agents.Plan) error {
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
	report := map[string]any{
		"agent": agent.Name, "file": f.Path, "changed": plan.Changed(), "removed": in.remove, "dry_run": in.dryRun,
		"backup": backup, "diff": diff(plan),
	}
	for name, p := range map[string]*agents.Plan{"into": told, "learn": learned} {
		if p != nil {
			report[name] = map[string]any{"file": p.File.Path, "changed": p.Changed(), "diff": diff(p)}
		}
	}
	return a.print(report, func(w io.Writer) {
		if in.dryRun {
			fmt.Fprint(w, diff(plan), diff(told), diff(learned))
		}
		switch {
		case !plan.Changed() && in.remove:
			fmt.Fprintf(w, "no hooks of rnixfs in %s\n", f.Path)
		case !plan.Changed():
			fmt.Fprintf(w, "the hooks are in %s already\n", f.Path)
		case in.dryRun:
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
		switch {
		case in.dryRun:
		case in.remove || told != nil || learned != nil:
			showMore(w, agent, in, told, learned)
		case plan.Changed():
			fmt.Fprintf(w, "To have %s write memory itself, for some %s tokens a conversation: rnixfs install %s --learn\n", agent.Name, learnTokens, agent.Name)
		}
	})
}

// diff is the change of a file, nothing for none.
func diff(p *agents.Plan) string {
	if p == nil {
		return ""
	}
	return agents.Diff(p.File.Path, p.File.Text, p.Text)
}

// showMore tells of the instructions and of learning.
func showMore(w io.Writer, agent *agents.Agent, in installer, told, learned *agents.Plan) {
	for _, p := range []*agents.Plan{told, learned} {
		if p != nil && in.remove {
			fmt.Fprintf(w, "taken out of %s, too\n", p.File.Path)
		}
	}
	if in.remove {
		return
	}
	if told != nil {
		fmt.Fprintf(w, "memory is told of in %s\n", told.File.Path)
	}
	if learned == nil {
		return
	}
	fmt.Fprintf(w, `From now on %q is asked what each conversation taught, once, when it is over: some %s
tokens each, as your account with it counts them; llm.max_tokens_per_day bounds a day.
To stop it: rnixfs install %s --uninstall, or take writeback.command out of
%s
`, strings.Join(agent.Learn, " "), learnTokens, agent.Name, learned.File.Path)
	if _, err := exec.LookPath(agent.Learn[0]); err != nil {
		fmt.Fprintf(w, "warning: %s is not in PATH\n", agent.Learn[0])
	}
}
