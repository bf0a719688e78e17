package agents

import (
	"bytes"
	"fmt"
	"strings"
)

// context is how many unchanged lines stand around a change.
const context = 3

// maxCells bounds the table of the line comparison.
const maxCells = 1 << 24

// line is a line of a diff: ' ' kept, '-' removed or '+' added.
type line struct {
	sign byte
	text string
}

// Diff returns the change of a file as a unified diff, "" for none.
func Diff(name string, before, after []byte) string {
	lines := compare(splitLines(before), splitLines(after))
	var b strings.Builder
	old, now := 1, 1
	for i := 0; i < len(lines); {
		if lines[i].sign == ' ' {
			old, now, i = old+1, now+1, i+1
			continue
		}
		if b.Len() == 0 {
			fmt.Fprintf(&b, "--- %s\n+++ %s\n", name, name)
		}
		first := max(i-context, 0)
		end := hunkEnd(lines, i)
		head := i - first
		hunk(&b, lines[first:end], old-head, now-head)
		for _, l := range lines[i:end] {
			if l.sign != '+' {
				old++
			}
			if l.sign != '-' {
				now++
			}
		}
		i = end
	}
	return b.String()
}

// hunkEnd returns the end of the hunk that begins with the change at i: changes
// with little between them share one.
func hunkEnd(lines []line, i int) int {
	last := i
	for j := i; j < len(lines) && j-last <= 2*context; j++ {
		if lines[j].sign != ' ' {
			last = j
		}
	}
	return min(last+1+context, len(lines))
}

func hunk(b *strings.Builder, lines []line, old, now int) {
	olds, nows := 0, 0
	for _, l := range lines {
		if l.sign != '+' {
			olds++
		}
		if l.sign != '-' {
			nows++
		}
	}
	if olds == 0 {
		old--
	}
	if nows == 0 {
		now--
	}
	fmt.Fprintf(b, "@@ -%d,%d +%d,%d @@\n", old, olds, now, nows)
	for _, l := range lines {
		b.WriteByte(l.sign)
		b.WriteString(strings.TrimSuffix(l.text, "\n"))
		b.WriteByte('\n')
		if !strings.HasSuffix(l.text, "\n") {
			b.WriteString("\\ No newline at end of file\n")
		}
	}
}

func splitLines(text []byte) []string {
	parts := bytes.SplitAfter(text, []byte("\n"))
	out := make([]string, 0, len(parts))
	for _, p := range parts {
		if len(p) > 0 {
			out = append(out, string(p))
		}
	}
	return out
}

// compare is the line comparison by longest common subsequence, after what is
// equal at both ends.
func compare(a, b []string) []line {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	var out []line
	for _, s := range a[:head] {
		out = append(out, line{' ', s})
	}
	out = append(out, middle(a[head:len(a)-tail], b[head:len(b)-tail])...)
	for _, s := range a[len(a)-tail:] {
		out = append(out, line{' ', s})
	}
	return out
}

func middle(a, b []string) []line {
	var out []line
	if len(a)*len(b) > maxCells { // as one change
		for _, s := range a {
			out = append(out, line{'-', s})
		}
		for _, s := range b {
			out = append(out, line{'+', s})
		}
		return out
	}
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) || j < len(b) {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			out = append(out, line{' ', a[i]})
			i, j = i+1, j+1
		case i < len(a) && (j == len(b) || length[i+1][j] >= length[i][j+1]):
			out = append(out, line{'-', a[i]})
			i++
		default:
			out = append(out, line{'+', b[j]})
			j++
		}
	}
	return out
}
