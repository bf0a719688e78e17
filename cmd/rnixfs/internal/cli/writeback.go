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
	cmd.AddCommand(
		jobsCmd(a, "list", "List the jobs", cobra.NoArgs, listJobs),
		jobsCmd(a, "show JOB", "Show a job: what it is about, and what it did", cobra.ExactArgs(1), showJob),
		jobsCmd(a, "retry JOB", "Try a job again that failed", cobra.ExactArgs(1), retryJob),
		undo, run,
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
		table(w, []any{"JOB", "STATE", "SINCE", "AGENT", "ENTRIES", "REMARK"}, func(row func(...any)) {
			for _, it := range list {
				agent, entries, remark := "", "", it.Reason
				if it.Job != nil {
					agent = it.Job.Agent
				}
				if d := it.Done; d != nil {
					agent, entries, remark = d.Agent, fmt.Sprint(len(d.Entries)), remarkOn(d)
				}
				row(it.ID, it.State, minute(it.At), oneLine(cmp.Or(agent, "-"), 20), cmp.Or(entries, "-"), oneLine(remark, 100))
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
		})
	})
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
		for _, e := range d.Entries {
			out = append(out, [2]string{string(e.Action), fmt.Sprintf("%s %s (revision %d, %s)", e.Scope, oneLine(e.Key, 80), e.Revision, e.ID)})
		}
		for _, reason := range slices.Sorted(maps.Keys(d.Dropped)) {
			out = append(out, [2]string{"dropped", fmt.Sprintf("%d %s", d.Dropped[reason], reason)})
		}
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
