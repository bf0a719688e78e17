package recalleval

import (
	"fmt"
	"io"
	"maps"
	"slices"
)

// Named is the report of one engine.
type Named struct {
	Name   string
	Report *Report
}

// Print shows the reports to a person, each category's beside one another.
func Print(w io.Writer, list []Named) error {
	r := list[0].Report
	fmt.Fprintf(w, "%d conversations, %d sessions, %d turns, %d questions\n\n",
		r.Conversations, r.Sessions, r.Turns, r.Questions+r.Unanswerable)
	fmt.Fprintf(w, "%-8s %-13s %5s  %6s %6s %6s  %6s %6s  %6s %7s  %6s %6s  %s\n", "", "category", "n",
		"hit@1", "hit@5", "hit@10", "rec@5", "rec@10", "MRR", "nDCG@10", "ses@1", "ses@5", "nothing said")
	for _, n := range list {
		printMetrics(w, n.Name, "all", &n.Report.Metrics)
	}
	for _, category := range slices.Sorted(maps.Keys(r.Categories)) {
		for _, n := range list {
			printMetrics(w, n.Name, category, n.Report.Categories[category])
		}
	}
	fmt.Fprintln(w)
	var err error
	for _, n := range list {
		_, err = fmt.Fprintf(w, "%-8s p50 %.2f ms, p99 %.2f ms a question; indexed in %.2f s\n", n.Name, n.Report.P50, n.Report.P99, n.Report.IndexSeconds)
	}
	return err
}

func printMetrics(w io.Writer, name, category string, m *Metrics) {
	nothing := ""
	if m.Unanswerable > 0 {
		nothing = fmt.Sprintf("%.1f of %d", 100*m.Nothing, m.Unanswerable)
	}
	fmt.Fprintf(w, "%-8s %-13.13s %5d  %6.1f %6.1f %6.1f  %6.1f %6.1f  %6.3f %7.3f  %6.1f %6.1f  %s\n", name, category, m.Questions,
		100*m.Hit1, 100*m.Hit5, 100*m.Hit10, 100*m.Recall5, 100*m.Recall10, m.MRR, m.NDCG10, 100*m.SessionHit1, 100*m.SessionHit5, nothing)
}

// PrintAsked lists the questions but for the unseen, with the ranks of their evidence in
// each report; of a question without evidence, how many results there were.
func PrintAsked(w io.Writer, list []Named) {
	for i, a := range list[0].Report.asked {
		fmt.Fprintf(w, "%-12s %s\n", a.Categories[len(a.Categories)-1], a.Question.Question)
		for _, n := range list {
			a := n.Report.asked[i]
			fmt.Fprintf(w, "%14s of %d turns at %v, of %d results\n", n.Name, len(a.Evidence), a.ranks, a.found)
		}
	}
}
