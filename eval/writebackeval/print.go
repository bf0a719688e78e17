package writebackeval

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// Print writes a report for people; verbose adds every miss and every false
// alarm.
func Print(w io.Writer, r *Report, verbose bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d conversations, %d labels\n", r.Split, r.Conversations, r.Labels)
	fmt.Fprintf(&b, "precision %.3f (%d of %d candidates)\n", r.PrecisionAll, r.Found, r.Found+r.False)
	fmt.Fprintf(&b, "recall    %.3f (%d of %d facts)\n", r.RecallAll, r.Kept, r.Kept+r.Missed)
	fmt.Fprintf(&b, "in the labelled scope %.3f\n\n", r.Target)
	fmt.Fprintf(&b, "%-12s %9s %6s %6s %6s\n", "category", "worth it", "false", "kept", "missed")
	for _, name := range slices.Sorted(maps.Keys(r.Categories)) {
		c := r.Categories[name]
		fmt.Fprintf(&b, "%-12s %9d %6d %6d %6d\n", name, c.Found, c.False, c.Kept, c.Missed)
	}
	if verbose {
		for _, f := range r.Alarms {
			fmt.Fprintf(&b, "\nfalse  %s %s %s, %s\n       %s\n", f.Conversation, strings.Join(f.Turns, ","), f.Category, f.Why, f.Content)
		}
		for _, f := range r.Misses {
			fmt.Fprintf(&b, "\nmissed %s %s %s\n       %s\n", f.Conversation, strings.Join(f.Turns, ","), f.Category, strings.Join(f.Terms, ", "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
