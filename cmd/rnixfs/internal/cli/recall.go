package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/spf13/cobra"
)

func (a *app) recallCmd() *cobra.Command {
	req := struct {
		Query      string   `json:"query"`
		MaxResults int      `json:"max_results,omitempty"`
		Summarize  bool     `json:"summarize,omitempty"`
		Scope      string   `json:"scope,omitempty"`
		Tags       []string `json:"tags,omitempty"`
		Explain    bool     `json:"explain,omitempty"`
	}{}
	cmd := &cobra.Command{
		Use:     "recall WORDS...",
		Short:   "Search what is remembered",
		Example: `  rnixfs recall how do we sign tokens`,
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, args []string) error {
			req.Query = strings.Join(args, " ")
			raw, err := json.Marshal(req)
			if err != nil {
				return err
			}
			body, err := a.call(c.Context(), "recall", raw)
			return a.finish(body, err, func(body []byte) error { return showResults(a.out, body) })
		},
	}
	f := cmd.Flags()
	f.IntVarP(&req.MaxResults, "max", "n", 0, "at most so many results")
	f.BoolVar(&req.Summarize, "summarize", false, "begin with a digest of the best results")
	f.StringVar(&req.Scope, "scope", "", "all, project or global")
	f.StringSliceVarP(&req.Tags, "tag", "t", nil, "only entries with these tags")
	f.BoolVar(&req.Explain, "explain", false, "with --json: how each score came about")
	return cmd
}

// showResults prints results as a person reads them.
func showResults(w io.Writer, body []byte) error {
	var reply struct {
		Summary string
		Results []struct {
			Key, Snippet, Target string
			Score                float64
			Timestamp            time.Time
		}
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		return err
	}
	if len(reply.Results) == 0 {
		_, err := fmt.Fprintln(w, "nothing found")
		return err
	}
	if reply.Summary != "" {
		fmt.Fprintf(w, "%s\n\n", reply.Summary)
	}
	for i, r := range reply.Results {
		if _, err := fmt.Fprintf(w, "%2d. %s\n    %s, %s, score %.2f\n", i+1, oneLine(r.Snippet, 400), r.Key, day(r.Timestamp)+" "+r.Target, r.Score); err != nil {
			return err
		}
	}
	return nil
}
