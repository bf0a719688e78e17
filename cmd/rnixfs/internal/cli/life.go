package cli

import (
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

func gcCmd(a *app) *cobra.Command {
	dry := false
	c := &cobra.Command{
		Use: "gc", Short: "Remove or archive now what has expired, as a mount does within an hour",
		Args: usageArgs(cobra.NoArgs),
	}
	c.Flags().BoolVar(&dry, "dry-run", false, "only say what has expired, and what would become of it")
	c.RunE = func(c *cobra.Command, _ []string) error {
		var swept []store.Reply
		all, err := a.allAddresses(c.Context())
		if err == nil {
			err = a.sendAll(c, all, request{"action": "sweep", "dry_run": dry}, func(r store.Reply) { swept = append(swept, r) })
		}
		if err != nil || a.json {
			return a.finish(nil, err, nil)
		}
		showSwept(a.out, swept, dry)
		return nil
	}
	return c
}

func showSwept(w io.Writer, swept []store.Reply, dry bool) {
	n := 0
	table(w, nil, func(row func(...any)) {
		for _, r := range swept {
			for _, e := range r.Results {
				what := map[memory.Action]string{memory.ActionExpire: "remove", memory.ActionArchive: "archive"}[e.Action]
				row(r.Target, what, e.Key)
				n++
			}
		}
	})
	switch {
	case n == 0:
		fmt.Fprintln(w, "nothing has expired")
	case dry:
		fmt.Fprintf(w, "%d expired; rnixfs gc does this now\n", n)
	default:
		fmt.Fprintf(w, "%d expired; rnixfs commit restore KEY brings one back\n", n)
	}
}

func logCmd(a *app) *cobra.Command {
	var scope, since string
	most := 20
	c := &cobra.Command{
		Use: "log", Short: "Show the last changes of your scopes, the newest first",
		Example: "  rnixfs log -n 5\n  rnixfs log --scope global_memory --since 2d",
		Args:    usageArgs(cobra.NoArgs),
	}
	f := c.Flags()
	f.StringVar(&scope, "scope", "", "only of this scope: memory, global_memory, user, ...")
	f.StringVar(&since, "since", "", "only since then: a time such as 2027-01-31T00:00:00Z, or 90m, 12h, 2d ago")
	f.IntVarP(&most, "max", "n", most, "at most so many")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if most < 1 {
			return withExit(exitUsage, fmt.Errorf("--max is %d; it is at least 1", most))
		}
		req := request{"action": "log", "max_results": most}
		if since != "" {
			req["since"] = moment(since)
		}
		to, err := []address{addressOf(memory.Scope(scope))}, error(nil)
		if scope == "" {
			to, err = a.allAddresses(c.Context())
		}
		var changes []logged
		if err == nil {
			err = a.sendAll(c, to, req, func(r store.Reply) {
				for _, rec := range *r.History {
					changes = append(changes, logged{r.Target, rec})
				}
			})
		}
		if err != nil || a.json {
			return a.finish(nil, err, nil)
		}
		slices.SortStableFunc(changes, func(x, y logged) int { return y.Time.Compare(x.Time) })
		showLog(a.out, changes[:min(most, len(changes))])
		return nil
	}
	return c
}

// logged is a change, and of which scope.
type logged struct {
	scope memory.Scope
	memory.Record
}

func showLog(w io.Writer, changes []logged) {
	if len(changes) == 0 {
		fmt.Fprintln(w, "no changes")
		return
	}
	table(w, []any{"TIME", "SCOPE", "CHANGE", "ACTION", "KEY", "BY", "TEXT"}, func(row func(...any)) {
		for _, c := range changes {
			e := cmp.Or(c.After, c.Before)
			by := cmp.Or(string(c.Actor.Trust), c.Actor.Road, "unknown")
			if c.Actor.Exe != "" {
				by += " " + filepath.Base(c.Actor.Exe)
			}
			row(c.Time.Local().Format(time.DateTime), c.scope, c.Sequence, c.Action, oneLine(e.Key, 40), by, oneLine(e.Content, 50))
		}
	})
}

func undoCmd(a *app) *cobra.Command {
	c := &cobra.Command{
		Use: "undo [CHANGE | NAME]", Short: "Take back the last change of this project's memory, or the one that is named",
		Long: `Take back the last change of this project's memory, whoever made it; the change with a
number that rnixfs log shows; or the last one of an entry, named by its key or its id.
That is a change, too: undo takes it back in turn. Where the entry has changed since,
nothing is done.`,
		Example: "  rnixfs undo\n  rnixfs undo 12\n  rnixfs undo key:release-day",
		Args:    usageArgs(cobra.MaximumNArgs(1)),
	}
	scopeFlags(c)
	c.RunE = func(c *cobra.Command, args []string) error {
		req := request{"action": "undo"}
		if len(args) == 1 {
			if n, err := strconv.ParseInt(args[0], 10, 64); err == nil {
				req["sequence"] = n
			} else {
				req.name(args[0])
			}
		}
		req.flags(c)
		target, _ := req["target"].(string)
		return run(a, c, addressOf(memory.Scope(target)).device, req)
	}
	return c
}

// sendAll sends a request to scopes, and passes the replies on. With --json it prints them.
func (a *app) sendAll(c *cobra.Command, to []address, req request, took func(store.Reply)) error {
	for _, at := range to {
		reply, err := a.send(c, at, req)
		if err != nil {
			return err
		}
		took(reply)
	}
	return nil
}
