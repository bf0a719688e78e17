package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

func writebackCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "writeback",
		Short: "See, retry and undo what is learned from conversations",
		Long: `When a conversation has ended, a job is put into a queue; a mount works on it and
remembers what was worth knowing. "list" shows the jobs, "undo" takes back what one
of them stored, "run" works on the queue where nothing is mounted.`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	undo := jobsCmd(a, "undo JOB", "Take back what a job did to memory", cobra.ExactArgs(1), undoJob)
	undo.Long = `Take back what a job stored: entries that it added are removed, entries that it
replaced get the text that they had, entries that it removed come back. Those that
were changed since are left alone. What was taken back is not learned again, unless
somebody asks for it.`
	run := jobsCmd(a, "run", "Work on the jobs that are due, and end", cobra.NoArgs, runJobs)
	run.Long = `Work on the jobs that are due, and end. Where something is mounted, the mount does
that by itself; both at once do no harm.`
	prompt := jobsCmd(a, "prompt [UUID]", "Print what a model is asked", cobra.MaximumNArgs(1), printPrompt)
	prompt.Long = `Print the question that a model is asked about a conversation, with its secrets masked,
as it would be sent; without one, the template of the question, to be changed and named
by writeback.prompt in memory.yaml.`
	cmd.AddCommand(
		jobsCmd(a, "list", "List the jobs", cobra.NoArgs, listJobs),
		jobsCmd(a, "show JOB", "Show a job: what it is about, and what it did", cobra.ExactArgs(1), showJob),
		jobsCmd(a, "retry JOB", "Try a job again that failed", cobra.ExactArgs(1), retryJob),
		undo, run, prompt,
	)
	return cmd
}

// jobsCmd is a command on the jobs of this user.
func jobsCmd(a *app, use, short string, check cobra.PositionalArgs, fn func(context.Context, *app, *daemon.User, []string) error) *cobra.Command {
	return command(use, short, check, func(ctx context.Context, args []string) error {
		return a.withOwn(ctx, func(own *daemon.User) error { return fn(ctx, a, own, args) })
	})
}

func listJobs(ctx context.Context, a *app, own *daemon.User, _ []string) error {
	list, err := own.Jobs.List(ctx)
	if err != nil {
		return err
	}
	if list == nil {
		list = []spool.Item{}
	}
	return a.print(list, func(w io.Writer) {
		table(w, []any{"JOB", "STATE", "SINCE", "AGENT", "PROJECT", "ENTRIES", "REMARK"}, func(row func(...any)) {
			for _, it := range list {
				agent, project, entries, remark := "", "", "", it.Reason
				if it.Job != nil {
					agent, project = it.Job.Agent, it.Job.Project
				}
				if d := it.Done; d != nil {
					agent, project, entries, remark = d.Agent, d.Project, fmt.Sprint(len(d.Entries)), remarkOn(d)
				}
				row(it.ID, it.State, minute(it.At), oneLine(cmp.Or(agent, "-"), 20), oneLine(cmp.Or(project, "-"), 60), cmp.Or(entries, "-"), oneLine(remark, 100))
			}
		})
	})
}

func remarkOn(d *spool.Done) string {
	var parts []string
	if d.Undone != nil {
		parts = append(parts, "undone")
	}
	if d.Verdict != "" {
		parts = append(parts, d.Verdict)
	}
	if d.Fallback != "" {
		parts = append(parts, "by the rules: "+d.Fallback)
	}
	if n := len(d.Proposed); n > 0 {
		parts = append(parts, fmt.Sprintf("%d proposed", n))
	}
	return strings.Join(parts, "; ")
}

func showJob(ctx context.Context, a *app, own *daemon.User, args []string) error {
	it, err := own.Jobs.Item(ctx, args[0])
	if err != nil {
		return err
	}
	return a.print(it, func(w io.Writer) {
		table(w, nil, func(row func(...any)) {
			for _, f := range fieldsOf(it) {
				if f[1] != "" && f[1] != "-" {
					row(f[0], f[1])
				}
			}
			if it.Done != nil {
				showChanges(ctx, own, it.Done, row)
			}
		})
	})
}

// showChanges tells what a job did and what it proposes, each with the words on which
// that rests: they are read where they are, for the job keeps none.
func showChanges(ctx context.Context, own *daemon.User, d *spool.Done, row func(...any)) {
	change := func(what string, scope memory.Scope, owner, id, gone string, quotes []spool.Quote) {
		text := gone
		if e := own.Entry(ctx, scope, owner, id); e != nil {
			text = e.Content
		}
		row(what, fmt.Sprintf("%s: %s (%s)", scope, oneLine(text, 300), id))
		for _, q := range quotes {
			if words := own.Words(ctx, q); words != "" {
				row("", "\""+oneLine(words, 200)+"\"")
			}
		}
	}
	for _, e := range d.Entries {
		change(string(e.Action), e.Scope, e.Owner, e.ID, e.Key, e.Quotes)
	}
	for _, p := range d.Proposed {
		change("proposed: "+string(p.Action), p.Scope, p.Owner, p.ID, "(removed)", p.Quotes)
	}
	for _, reason := range slices.Sorted(maps.Keys(d.Dropped)) {
		row("dropped", fmt.Sprintf("%d %s", d.Dropped[reason], reason))
	}
}

func printPrompt(ctx context.Context, a *app, own *daemon.User, args []string) error {
	text, err := own.Question(ctx, strings.Join(args, ""))
	if err != nil {
		return err
	}
	_, err = io.WriteString(a.out, text)
	return err
}

// fieldsOf is what is known of a job, by name.
func fieldsOf(it spool.Item) [][2]string {
	out := [][2]string{
		{"job", it.ID}, {"state", it.State}, {"since", minute(it.At)}, {"reason", it.Reason}, {"next attempt", minute(it.Next)},
	}
	if j := it.Job; j != nil {
		out = append(out, [][2]string{
			{"agent", j.Agent}, {"event", j.Event}, {"conversation", cmp.Or(j.Process, j.External)}, {"transcript", j.Transcript}, {"project", j.Project},
		}...)
	}
	if d := it.Done; d != nil {
		out = append(out, [][2]string{
			{"agent", d.Agent}, {"project", d.Project}, {"conversations", strings.Join(d.Processes, ", ")}, {"extracted by", d.By}, {"remark", remarkOn(d)},
		}...)
	}
	return out
}

func retryJob(ctx context.Context, a *app, own *daemon.User, args []string) error {
	if err := own.Jobs.Retry(ctx, args[0]); err != nil {
		return err
	}
	return a.say(map[string]any{"ok": true, "job": args[0]}, "it is due again")
}

func undoJob(ctx context.Context, a *app, own *daemon.User, args []string) error {
	if d, err := own.Jobs.Record(args[0]); err == nil && d.Undone != nil {
		return a.say(map[string]any{"job": args[0], "removed": 0, "restored": 0, "left": 0, "undone_before": d.Undone},
			fmt.Sprintf("undone already, %s; nothing is left to do", minute(*d.Undone)))
	}
	u, err := own.Undo(ctx, args[0])
	if err != nil {
		return err
	}
	return a.say(u, fmt.Sprintf("removed %d, restored %d, left alone %d that were changed since", u.Removed, u.Restored, u.Left))
}

func runJobs(ctx context.Context, a *app, own *daemon.User, _ []string) error {
	n, err := own.Work(ctx)
	if err != nil {
		return err
	}
	s, err := own.Jobs.Stats()
	if err != nil {
		return err
	}
	return a.say(map[string]any{"ok": true, "worked": n, "queue": s.Queue, "dead": s.Dead}, fmt.Sprintf("worked on %d, %d wait, %d dead", n, s.Queue, s.Dead))
}
