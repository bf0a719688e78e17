package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"syscall"

	"github.com/spf13/cobra"
)

func contextCmd(a *app) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "context",
		Short:   "Print what an agent is shown of memory when it starts here, or for a task",
		Example: `  rnixfs context --task 'mend the login' --max-tokens 500`,
		Args:    usageArgs(cobra.NoArgs),
		RunE: func(c *cobra.Command, _ []string) error {
			req := request{}
			req.flags(c)
			if req["max_tokens"] != nil && req["task"] == nil {
				return withExit(exitUsage, errors.New("--max-tokens needs --task"))
			}
			if len(req) == 0 && !a.json {
				text, err := a.block(c.Context())
				return errors.Join(err, a.write(text))
			}
			body, err := a.call(c.Context(), "context", req)
			return a.finish(body, err, func(body []byte) error {
				reply, err := contextOf(body)
				if reply.Hint != "" {
					fmt.Fprintf(a.err, "rnixfs: %s\n", reply.Hint)
				}
				return errors.Join(err, a.write(reply.Context))
			})
		},
	}
	addRows(cmd,
		flag{"task", "", "", "what the agent is about to do: what is worth knowing for that, the best first"},
		flag{"max_tokens", "", 0, "at most so many tokens for the task (default 4000)"},
		flag{"scopes", "scope", []string{}, "only these scopes, conversation (what was said in this project), knowledge (documents)"},
		flag{"k", "max", 0, "at most so many entries"})
	return cmd
}

func (a *app) write(text string) error {
	_, err := io.WriteString(a.out, text)
	return err
}

// block is the memory that a session is shown. A daemon that takes no requests for it, one
// of an older program, is read.
func (a *app) block(ctx context.Context) (string, error) {
	body, err := a.call(ctx, "context", []byte("{}"))
	switch {
	case errors.Is(err, syscall.EROFS):
		body, err = a.read(ctx, "context")
		return string(body), err
	case err != nil:
		return "", err
	}
	reply, err := contextOf(body)
	return reply.Context, err
}

func contextOf(body []byte) (reply struct{ Context, Hint string }, err error) {
	err = json.Unmarshal(body, &reply)
	return reply, err
}
