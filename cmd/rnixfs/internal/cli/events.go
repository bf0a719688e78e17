package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/cmd/rnixfs/internal/daemon"
)

// followEvery is how often a mount is asked for what is new.
const followEvery = 500 * time.Millisecond

func eventsCmd(a *app) *cobra.Command {
	var follow bool
	var cmd *cobra.Command
	cmd = command("events", "Print what changed in memory, a line of JSON for each change", cobra.NoArgs, func(ctx context.Context, _ []string) error {
		req := request{}
		req.flags(cmd)
		for {
			last, err := a.printEvents(ctx, req)
			if err != nil || !follow {
				return err
			}
			req["after"] = last
			select {
			case <-ctx.Done():
				return cut(ctx)
			case <-time.After(followEvery):
			}
		}
	})
	cmd.Long = `Print what changed in memory while it was mounted, a line of JSON for each change,
never the text. The mount keeps the changes of the last hour, at most 10,000.`
	addRows(cmd,
		flag{"after", "", int64(0), "only changes after this sequence number"},
		flag{"max_results", "max", 0, "at most so many (default 100)"},
		flag{"scope", "", "", "only changes in this scope"},
		flag{"category", "", "", "only changes of entries of this category"},
		flag{"by", "", "", "only changes by this road: human, agent, edit, extracted, imported"})
	cmd.Flags().BoolVarP(&follow, "follow", "f", false, "go on printing what changes, until a signal")
	return cmd
}

// printEvents prints the changes that a request asks for, and returns the sequence
// number to go on after.
func (a *app) printEvents(ctx context.Context, req request) (last int64, err error) {
	raw, err := json.Marshal(req)
	if err != nil {
		return 0, err
	}
	var reply struct {
		Events   []json.RawMessage `json:"events"`
		Sequence int64             `json:"sequence"`
		Gap      bool              `json:"gap"`
	}
	body, err := a.ask(ctx, "events", func(path string) ([]byte, error) { return callMount(path, raw) }, func(*daemon.Kernel) ([]byte, error) {
		return nil, a.unmounted("events", "the mount keeps the changes")
	})
	if err != nil {
		return 0, a.finish(nil, err, nil)
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return 0, err
	}
	if reply.Gap {
		fmt.Fprintln(a.err, "rnixfs: warning: some changes after that number are not kept any more")
	}
	for _, line := range reply.Events {
		_, werr := fmt.Fprintf(a.out, "%s\n", line)
		err = errors.Join(err, werr)
	}
	return reply.Sequence, err
}
