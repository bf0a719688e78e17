package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
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
			Marks                [][2]int
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
		if _, err := fmt.Fprintf(w, "%2d. %s\n    %s, %s, score %.2f\n", i+1, highlight(w, r.Snippet, r.Marks), r.Key, day(r.Timestamp)+" "+r.Target, r.Score); err != nil {
			return err
		}
	}
	return nil
}

// highlight makes the marked words bold on a terminal.
func highlight(w io.Writer, snippet string, marks [][2]int) string {
	f, ok := w.(*os.File)
	if !ok || !isTerminal(f) {
		return oneLine(snippet, 400)
	}
	var b strings.Builder
	at := 0
	for _, m := range marks {
		if m[0] < at || m[1] > len(snippet) || m[0] > m[1] {
			continue
		}
		b.WriteString(oneLine(snippet[at:m[0]], 400) + "\x1b[1m" + oneLine(snippet[m[0]:m[1]], 400) + "\x1b[0m")
		at = m[1]
	}
	return b.String() + oneLine(snippet[at:], 400)
}
