package cli

import (
	"cmp"
	"encoding/json"
	"io"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
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
			raw, err := json.Marshal(req)
			if err != nil {
				return err
			}
			body, err := a.call(c.Context(), "context", raw)
			return a.finish(body, err, func(body []byte) error {
				text, err := contextText(body)
				if err != nil {
					return err
				}
				_, err = io.WriteString(a.out, text)
				return err
			})
		},
	}
	f := cmd.Flags()
	f.String("task", "", "what the agent is about to do: what is worth knowing for that, the best first")
	f.Int("max-tokens", 0, "at most so many tokens for the task (default 4000)")
	f.StringSlice("scope", nil, "only these scopes, or conversation: what was said in this project")
	f.IntP("max", "n", 0, "at most so many entries")
	fields := map[string]string{"max-tokens": "max_tokens", "scope": "scopes", "max": "k"}
	f.VisitAll(func(f *pflag.Flag) { nameField(f, cmp.Or(fields[f.Name], f.Name)) })
	return cmd
}

// contextText is the text of a reply of the context device.
func contextText(body []byte) (string, error) {
	var reply struct {
		Context string `json:"context"`
	}
	err := json.Unmarshal(body, &reply)
	return reply.Context, err
}
