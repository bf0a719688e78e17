package cli

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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
	dryRun, remove, project, recall, into, learn, noMCP, sandbox bool
}

func installCmd(a *app) *cobra.Command {
	var in installer
	cmd := &cobra.Command{
		Use:   "install AGENT",
		Short: "Enter hooks and the MCP server into an agent's settings",
		Long: `Enter hooks and the MCP server into the settings of an agent: ` + strings.Join(agents.Names(true), ", ") + `;
and the MCP server into those of ` + strings.Join(agents.Names(false)[len(agents.Names(true)):], ", ") + `. By the hooks, a session that starts is shown
what is remembered, and conversations are handed to the writeback; by the server,
the agent recalls and remembers, also from a sandbox in which its shell can't.

The files are edited as text; what else stands in them is left as it is, and the old
file is kept beside it. A file that is not understood is left alone.

--sandbox lets commands in the sandbox of claude or codex write to the mountpoint,
too, where each write is judged. It does not switch the sandbox on.

--into also tells the agent of memory in the project's CLAUDE.md, AGENTS.md or
GEMINI.md, in a marked block. --learn also has the agent's own program write memory:
once a conversation, without tools, at the cost of some ` + learnTokens + ` tokens each.

--uninstall takes out all of it again.`,
		Example:   "  rnixfs install claude --dry-run\n  rnixfs install claude\n  rnixfs install claude --learn\n  rnixfs install claude --uninstall",
		Args:      usageArgs(cobra.ExactArgs(1)),
		ValidArgs: agents.Names(false),
		RunE: func(_ *cobra.Command, args []string) error {
			agent := agents.ByName(args[0])
			if agent == nil {
				return withExit(exitUsage, fmt.Errorf("unknown agent %q; it is one of %s", args[0], strings.Join(agents.Names(false), ", ")))
			}
			return install(a, agent, in)
		},
	}
	f := cmd.Flags()
	f.BoolVar(&in.dryRun, "dry-run", false, "print what would change, and change nothing")
	f.BoolVar(&in.remove, "uninstall", false, "take out again what was entered")
	f.BoolVar(&in.project, "project", false, "in the settings of this project, not the user's")
	f.BoolVar(&in.recall, "recall", false, "also search memory on every prompt")
	f.BoolVar(&in.noMCP, "no-mcp", false, "enter no MCP server")
	f.BoolVar(&in.sandbox, "sandbox", false, "also let commands in the agent's sandbox write to the mountpoint")
	f.BoolVar(&in.into, "into", false, "also tell the agent of memory in the instructions of this project")
	f.BoolVar(&in.learn, "learn", false, "also have the agent's program write memory, once a conversation")
	return cmd
}

// wanted is what an installation is to enter into the files of settings.
func wanted(a *app, agent *agents.Agent, in installer) (w agents.Wanted, err error) {
	w = agents.Wanted{Command: agents.Command{Recall: in.recall}, MCP: !in.noMCP, Sandbox: in.sandbox}
	switch {
	case in.sandbox && !agent.Sandboxed():
		err = fmt.Errorf("--sandbox: %s has no sandbox whose settings are known", agent.Name)
	case in.noMCP && !agent.Hooked():
		err = fmt.Errorf("--no-mcp: %s takes the MCP server alone", agent.Name)
	case in.recall && !agent.Recalls(), in.learn && agent.Learn == nil:
		err = fmt.Errorf("%s has no hook for --recall, or no program for --learn", agent.Name)
	}
	if err != nil {
		return w, withExit(exitUsage, err)
	}
	if w.Mountpoint, err = a.mountpoint(); err != nil && in.sandbox {
		return w, err
	}
	if w.Mountpoint == paths.Device { // sandboxes give commands a /dev of their own, and Claude Code's follows no link out of it
		w.Mountpoint = paths.Shared
	}
	w.Binary, _, err = paths.Self()
	return w, err
}

func install(a *app, agent *agents.Agent, in installer) error {
	w, err := wanted(a, agent, in)
	if err != nil {
		return err
	}
	plans, err := planFiles(agent, in, w)
	if err != nil {
		return err
	}
	told, err := planInto(agent, in)
	if err != nil {
		return err
	}
	learned, err := planLearn(agent, in)
	if err != nil {
		return err
	}
	for _, p := range append(slices.Clone(plans), told, learned) {
		if p != nil && !in.dryRun {
			if err := p.Apply(); err != nil {
				return err
			}
		}
	}
	return showPlan(a, agent, in, plans, told, learned, w.Mountpoint)
}

// planFiles plans the changes of the agent's settings.
func planFiles(agent *agents.Agent, in installer, w agents.Wanted) (plans []*agents.Plan, err error) {
	home, root := "", ""
	if in.project {
		root, err = projectOf(in)
	} else if home, err = paths.Home(); err != nil {
		err = fmt.Errorf("find the home directory: %w (set HOME)", err)
	}
	if err != nil {
		return nil, err
	}
	for _, f := range agent.Files(os.Getenv, home, root, w) {
		if !f.Asked() {
			continue
		}
		planned := f.Install
		if in.remove {
			planned = f.Uninstall
		}
		plan, err := planned()
		if err != nil {
			hint := ""
			if len(plans) > 0 && !in.sandbox {
				hint = "\n--no-mcp leaves this file out"
			}
			return nil, fmt.Errorf("%s: %w%s", f.Path, err, hint)
		}
		plans = append(plans, plan)
	}
	return plans, nil
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

func showPlan(a *app, agent *agents.Agent, in installer, plans []*agents.Plan, told, learned *agents.Plan, mountpoint string) error {
	var files []map[string]any
	changed := false
	for _, p := range plans {
		changed = changed || p.Changed()
		files = append(files, map[string]any{"file": p.File.Path, "what": p.What, "changed": p.Changed(), "backup": backupOf(p, in), "diff": diff(p)})
	}
	report := map[string]any{"agent": agent.Name, "changed": changed, "removed": in.remove, "dry_run": in.dryRun, "files": files}
	for name, p := range map[string]*agents.Plan{"into": told, "learn": learned} {
		if p != nil {
			report[name] = map[string]any{"file": p.File.Path, "changed": p.Changed(), "diff": diff(p)}
		}
	}
	return a.print(report, func(w io.Writer) {
		for _, p := range plans {
			showFile(w, p, in)
		}
		if in.dryRun {
			fmt.Fprint(w, diff(told), diff(learned))
			return
		}
		if plans[0].Changed() && !in.remove && agent.Note != "" {
			fmt.Fprintln(w, agent.Note)
		}
		if in.sandbox && !in.remove {
			fmt.Fprintf(w, "Commands in the sandbox may write to the mount at %s from now on, where each write is judged, and to nothing else.\n", mountpoint)
		}
		if in.remove || told != nil || learned != nil {
			showMore(w, agent, in, told, learned)
		} else if changed && agent.Learn != nil {
			fmt.Fprintf(w, "To have %s write memory itself, for some %s tokens a conversation: rnixfs install %s --learn\n", agent.Name, learnTokens, agent.Name)
		}
	})
}

// backupOf is the path of the backup that a user is to be told of, or "".
func backupOf(p *agents.Plan, in installer) string {
	if p.Keep != nil {
		return p.File.Backup()
	}
	if in.remove && p.Changed() && !p.Exact { // others have edited the file since
		if _, err := os.Lstat(p.File.Backup()); err == nil {
			return p.File.Backup()
		}
	}
	return ""
}

// showFile tells of a file of settings.
func showFile(w io.Writer, p *agents.Plan, in installer) {
	what, path, backup := strings.Join(p.What, " and "), p.File.Path, backupOf(p, in)
	switch {
	case !p.Changed() && in.remove:
		fmt.Fprintf(w, "nothing of rnixfs in %s\n", path)
	case !p.Changed() && what != "":
		fmt.Fprintf(w, "%s already in %s\n", what, path)
	case in.dryRun:
		fmt.Fprint(w, diff(p))
	case in.remove:
		fmt.Fprintf(w, "%s removed from %s\n", what, path)
		if backup != "" {
			fmt.Fprintf(w, "it was changed since they were entered; what was there before is still kept in %s\n", backup)
		}
	case p.Changed():
		fmt.Fprintf(w, "%s entered into %s\n", what, path)
		if backup != "" {
			fmt.Fprintf(w, "what was there is kept in %s\n", backup)
		}
	}
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
