package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"golang.org/x/sys/unix"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// print prints v as JSON with --json, else what show writes for a person.
func (a *app) print(v any, show func(io.Writer)) error {
	if a.json {
		return json.NewEncoder(a.out).Encode(v)
	}
	var text strings.Builder
	show(&text)
	_, err := io.WriteString(a.out, text.String())
	return err
}

// say prints the JSON of v, or a line for a person.
func (a *app) say(v any, line string) error {
	return a.print(v, func(w io.Writer) { fmt.Fprintln(w, line) })
}

// table writes rows of cells in columns, below a head, if there is one.
func table(w io.Writer, head []any, rows func(row func(cells ...any))) {
	t := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	row := func(cells ...any) {
		texts := make([]string, len(cells))
		for i, c := range cells { // the name of a file may have a line's end in it
			texts[i] = oneLine(fmt.Sprint(c), 400)
		}
		fmt.Fprintln(t, strings.Join(texts, "\t"))
	}
	if head != nil {
		row(head...)
	}
	rows(row)
	_ = t.Flush() // w is a text in memory
}

func day(t time.Time) string { return t.Local().Format(time.DateOnly) }

func minute(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
}

// oneLine makes a text fit for a table: control characters, which could move a
// terminal's cursor, become blanks.
func oneLine(s string, runes int) string {
	s = strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || (r >= 0x80 && r < 0xa0) {
			return ' '
		}
		return r
	}, s)
	if memory.Cut(s, runes) != s {
		return memory.Cut(s, runes-1) + "…"
	}
	return s
}

func isTerminal(f *os.File) bool {
	if f == nil {
		return false
	}
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}
