package writebackeval

import (
	"fmt"
	"io"
	"strings"
)

// Print writes a report for people; verbose lists what was wrong and what was missed.
func Print(w io.Writer, r *Report, verbose bool) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%d conversations, by %s\n", r.Conversations, r.By)
	fmt.Fprintf(&b, "precision %.3f (%d of %d entries are worth it, %d more with a squint)\n", r.Precision, r.Worth, r.Entries, r.Squint)
	fmt.Fprintf(&b, "recall    %.3f (%d of %d facts)\n", r.Recall, r.Found, r.Facts)
	if r.By == ByModel {
		fmt.Fprintf(&b, "quotes    %.3f true (%d of %d); an entry without one is dropped\n", share(r.True, r.Quotes), r.True, r.Quotes)
	}
	if verbose {
		for _, f := range r.Wrong {
			fmt.Fprintf(&b, "\n%-8s %s %s\n         %s\n", f.Why, f.Conversation, f.Category, f.Content)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
