package scaneval

import (
	"fmt"
	"io"
	"time"
)

// Print shows the report to a person, by group, or by kind.
func Print(w io.Writer, rep Report, kinds bool) error {
	list := rep.Groups
	if kinds {
		list = rep.Kinds
	}
	for _, t := range append(list, rep.Totals...) {
		what, name := "recall", t.Category
		if t.Label == "neg" {
			what = "false alarms"
		}
		if name == "" {
			name = "ALL"
		}
		line := fmt.Sprintf("%-12s  %-34s %6d rows  %6.2f %%", what, name, t.Rows, t.Share())
		if rep.Baseline != nil {
			line += fmt.Sprintf("   gitleaks %6.2f %%", t.BaselineShare())
		}
		if t.Refused > 0 {
			line += fmt.Sprintf("   (%d refused)", t.Refused)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	err := printLatency(w, "time a row", rep.Latency)
	if err == nil && rep.Baseline != nil {
		err = printLatency(w, "gitleaks", *rep.Baseline)
	}
	return err
}

func printLatency(w io.Writer, what string, l Latency) error {
	_, err := fmt.Fprintf(w, "%-12s  p50 %v, p99 %v, longest %v\n", what, l.P50.Round(time.Microsecond), l.P99.Round(time.Microsecond), l.Max.Round(time.Microsecond))
	return err
}
