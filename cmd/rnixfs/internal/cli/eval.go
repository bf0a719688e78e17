package cli

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/rnixfs/rnixfs/kernel/recall/eval"
)

func (a *app) evalCmd() *cobra.Command {
	var baseline bool
	var results string
	cmd := &cobra.Command{
		Use:   "eval FILE...",
		Short: "Measure recall against labelled conversations",
		Long: `Measure recall against labelled conversations: LoCoMo's JSON, or
{"conversations":[{"id","sessions":[{"id","time","turns":[{"id","role","content"}]}],
  "questions":[{"question","category","evidence":[ids of turns]}]}]}.

Each conversation is an index of its own, in memory, and is asked its questions
the way the recall device does. hit@k: a turn of the evidence is among the first
k; recall@k: the share of the evidence that is; sessions: the same of the session
it lies in, results being grouped by session in the order of their best.`,
		Example: `  rnixfs eval --baseline locomo.json`,
		Args:    usageArgs(cobra.MinimumNArgs(1)),
		RunE: func(c *cobra.Command, files []string) error {
			all := &eval.Set{}
			for _, name := range files {
				set, err := eval.Read(name)
				if err != nil {
					return err
				}
				all.Conversations = append(all.Conversations, set.Conversations...)
			}
			return a.eval(c, all, baseline, results)
		},
	}
	cmd.AddCommand(a.evalWritebackCmd())
	f := cmd.Flags()
	f.BoolVar(&baseline, "baseline", false, "measure SQLite FTS5 and plain bleve on the same data, too")
	f.StringVar(&results, "results", "", "write what became of each question to this file, a JSON object a line")
	return cmd
}

func (a *app) eval(c *cobra.Command, set *eval.Set, baseline bool, results string) (err error) {
	each, done := func(eval.Answer) error { return nil }, func() error { return nil }
	if results != "" {
		if each, done, err = answersTo(results); err != nil {
			return err
		}
	}
	named := []namedReport{{name: "rnixfs"}}
	named[0].report, err = eval.Recall(c.Context(), set, each)
	if err := errors.Join(err, done()); err != nil {
		return err
	}
	if baseline {
		fts5, err := eval.FTS5(c.Context(), set)
		if err != nil {
			return err
		}
		plain, err := eval.Bleve(c.Context(), set)
		if err != nil {
			return err
		}
		named = append(named, namedReport{"fts5", fts5}, namedReport{"bleve", plain})
	}
	if !a.json {
		return showReports(a.out, named)
	}
	object := map[string]*eval.Report{}
	for _, n := range named {
		object[n.name] = n.report
	}
	return json.NewEncoder(a.out).Encode(object)
}

// answersTo returns what writes answers to a file, and what ends that.
func answersTo(name string) (each func(eval.Answer) error, done func() error, err error) {
	f, err := os.Create(name)
	if err != nil {
		return nil, nil, err
	}
	w := bufio.NewWriter(f)
	encoder := json.NewEncoder(w)
	encoder.SetEscapeHTML(false)
	return func(answer eval.Answer) error { return encoder.Encode(answer) },
		func() error { return errors.Join(w.Flush(), f.Close()) }, nil
}

type namedReport struct {
	name   string
	report *eval.Report
}

func showReports(w io.Writer, list []namedReport) error {
	r := list[0].report
	fmt.Fprintf(w, "%d conversations, %d sessions, %d turns, %d questions (%d without evidence passed over)\n\n",
		r.Conversations, r.Sessions, r.Turns, r.Questions, r.Skipped)
	fmt.Fprintf(w, "%-8s %-10s %5s  %6s %6s %6s  %6s %6s  %6s %7s  %6s %6s\n", "", "category", "n",
		"hit@1", "hit@5", "hit@10", "rec@5", "rec@10", "MRR", "nDCG@10", "ses@1", "ses@5")
	for _, n := range list {
		showMetrics(w, n.name, "all", &n.report.Metrics)
	}
	for _, category := range slices.Sorted(maps.Keys(r.Categories)) {
		for _, n := range list {
			showMetrics(w, n.name, category, n.report.Categories[category])
		}
	}
	fmt.Fprintln(w)
	var err error
	for _, n := range list {
		_, err = fmt.Fprintf(w, "%-8s p50 %.2f ms, p99 %.2f ms a question; indexed in %.2f s\n", n.name, n.report.P50, n.report.P99, n.report.IndexSeconds)
	}
	return err
}

func showMetrics(w io.Writer, name, category string, m *eval.Metrics) {
	fmt.Fprintf(w, "%-8s %-10.10s %5d  %6.1f %6.1f %6.1f  %6.1f %6.1f  %6.3f %7.3f  %6.1f %6.1f\n", name, category, m.Questions,
		100*m.Hit1, 100*m.Hit5, 100*m.Hit10, 100*m.Recall5, 100*m.Recall10, m.MRR, m.NDCG10, 100*m.SessionHit1, 100*m.SessionHit5)
}
