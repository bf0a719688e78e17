package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

func (a *app) writebackCmd() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "writeback",
		Short: "See, retry and undo what is learned from conversations",
		Long: `When a conversation has ended, a job is put into a queue; a mount works on it and
remembers what was worth knowing. "list" shows the jobs, "undo" takes back what one
of them stored, "run" works on the queue where nothing is mounted.`,
		Args: cobra.ArbitraryArgs,
		RunE: groupRun,
	}
	cmd.AddCommand(
		a.jobsCmd("list", "List the jobs", cobra.NoArgs, a.listJobs),
		a.jobsCmd("show JOB", "Show a job: what it is about, and what it did", cobra.ExactArgs(1), a.showJob),
		a.jobsCmd("retry JOB", "Try a job again that failed", cobra.ExactArgs(1), a.retryJob),
		a.jobsCmd("undo JOB", "Take back what a job did to memory", cobra.ExactArgs(1), a.undoJob),
		a.jobsCmd("run", "Work on the jobs that are due, and end", cobra.NoArgs, a.runJobs),
	)
	return cmd
}

// jobsCmd is a command on the jobs of this user.
func (a *app) jobsCmd(use, short string, check cobra.PositionalArgs, fn func(context.Context, *daemon.Kernel, *spool.Queue, []string) error) *cobra.Command {
	cmd := &cobra.Command{
		Use: use, Short: short, Args: usageArgs(check),
		RunE: func(c *cobra.Command, args []string) (err error) {
			k, err := a.kernel(c.Context())
			if err != nil {
				return err
			}
			defer func() { err = errors.Join(err, k.Close()) }()
			q, err := k.Writeback(uint32(os.Getuid()))
			if err != nil {
				return err
			}
			return fn(c.Context(), k, q, args)
		},
	}
	switch cmd.Name() {
	case "undo":
		cmd.Long = `Take back what a job stored: entries that it added are removed, entries that it
replaced get the text that they had, entries that it removed come back. Those that
were changed since are left alone. What was taken back is not learned again, unless
somebody asks for it.`
	case "run":
		cmd.Long = `Work on the jobs that are due, and end. Where something is mounted, the mount does
that by itself; both at once do no harm.`
	}
	return cmd
}

func (a *app) listJobs(ctx context.Context, _ *daemon.Kernel, q *spool.Queue, _ []string) error {
	list, err := q.List(ctx)
	if err != nil {
		return err
	}
	if a.json {
		if list == nil {
			list = []spool.Item{}
		}
		return json.NewEncoder(a.out).Encode(list)
	}
	t := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	fmt.Fprintln(t, "JOB\tSTATE\tSINCE\tAGENT\tENTRIES\tREMARK")
	for _, it := range list {
		agent, entries, remark := "", "", it.Reason
		if it.Job != nil {
			agent = it.Job.Agent
		}
		if d := it.Done; d != nil {
			agent, entries, remark = d.Agent, fmt.Sprint(len(d.Entries)), remarkOn(d)
		}
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%s\t%s\n", it.ID, it.State, minute(it.At), oneLine(cmp.Or(agent, "-"), 20), cmp.Or(entries, "-"), oneLine(remark, 100))
	}
	return t.Flush()
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

func (a *app) showJob(ctx context.Context, _ *daemon.Kernel, q *spool.Queue, args []string) error {
	it, err := q.Item(ctx, args[0])
	if err != nil {
		return err
	}
	if a.json {
		return json.NewEncoder(a.out).Encode(it)
	}
	t := tabwriter.NewWriter(a.out, 0, 8, 2, ' ', 0)
	row := func(name, value string) {
		if value != "" && value != "-" {
			fmt.Fprintf(t, "%s\t%s\n", name, oneLine(value, 400))
		}
	}
	row("job", it.ID)
	row("state", it.State)
	row("since", minute(it.At))
	row("reason", it.Reason)
	row("next attempt", minute(it.Next))
	if j := it.Job; j != nil {
		row("agent", j.Agent)
		row("event", j.Event)
		row("conversation", cmp.Or(j.Process, j.External))
		row("transcript", j.Transcript)
		row("project", j.Project)
	}
	if d := it.Done; d != nil {
		row("agent", d.Agent)
		row("project", d.Project)
		row("conversations", strings.Join(d.Processes, ", "))
		row("extracted by", d.By)
		row("remark", remarkOn(d))
		showStored(t, d)
	}
	return t.Flush()
}

func showStored(w io.Writer, d *spool.Done) {
	for _, e := range d.Entries {
		fmt.Fprintf(w, "%s\t%s %s (revision %d, %s)\n", e.Action, e.Scope, oneLine(e.Key, 80), e.Revision, e.ID)
	}
	for _, reason := range slices.Sorted(maps.Keys(d.Dropped)) {
		fmt.Fprintf(w, "dropped\t%d %s\n", d.Dropped[reason], reason)
	}
}

func (a *app) retryJob(ctx context.Context, _ *daemon.Kernel, q *spool.Queue, args []string) error {
	if err := q.Retry(ctx, args[0]); err != nil {
		return err
	}
	return a.say(map[string]any{"ok": true, "job": args[0]}, "it is due again")
}

func (a *app) undoJob(ctx context.Context, k *daemon.Kernel, q *spool.Queue, args []string) error {
	if d, err := q.Record(args[0]); err == nil && d.Undone != nil {
		return a.say(map[string]any{"job": args[0], "removed": 0, "restored": 0, "left": 0, "undone_before": d.Undone},
			fmt.Sprintf("undone already, %s; nothing is left to do", minute(*d.Undone)))
	}
	u, err := k.Undo(ctx, daemon.Self(), args[0])
	if err != nil {
		return err
	}
	return a.say(u, fmt.Sprintf("removed %d, restored %d, left alone %d that were changed since", u.Removed, u.Restored, u.Left))
}

func (a *app) runJobs(ctx context.Context, k *daemon.Kernel, q *spool.Queue, _ []string) error {
	n, err := k.Work(ctx)
	if err != nil {
		return err
	}
	s, err := q.Stats()
	if err != nil {
		return err
	}
	return a.say(map[string]any{"ok": true, "worked": n, "queue": s.Queue, "dead": s.Dead}, fmt.Sprintf("worked on %d, %d wait, %d dead", n, s.Queue, s.Dead))
}

// say prints the JSON of v, or a line for a person.
func (a *app) say(v any, line string) error {
	if a.json {
		return json.NewEncoder(a.out).Encode(v)
	}
	_, err := fmt.Fprintln(a.out, line)
	return err
}
