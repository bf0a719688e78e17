package config

import (
	"bytes"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// openList is the line of a scanner.allow whose list is empty, as the reference has it, or
// goes on in lines below, as AddAllow leaves it.
var openList = regexp.MustCompile(`^( *)(allow: *\[) *(\]?)( *(?:#.*)?)$`)

// AddAllow enters exceptions by fingerprint into scanner.allow of the text of a memory.yaml, in lines
// of their own, which are returned, too: every other byte stays, but for an empty list's
// brackets. Exceptions that are there are passed over. A text that has a mistake, or no
// place for such lines, is an error that says what to do.
func AddAllow(text []byte, fingerprints []string, reason string) (out []byte, lines []string, err error) {
	before := Default()
	_, problems, _ := decode(text, &before, true)
	if len(problems) > 0 {
		return nil, nil, fmt.Errorf("it has a mistake, to be mended first: %w", problems[0])
	}
	want := before
	for _, f := range fingerprints {
		if x := (ScanAllow{Fingerprint: f, Reason: reason}); !slices.ContainsFunc(want.Scanner.Allow, func(y ScanAllow) bool {
			y.Reason = reason
			return x == y
		}) {
			want.Scanner.Allow = append([]ScanAllow{x}, want.Scanner.Allow...)
			lines = append([]string{fmt.Sprintf("{fingerprint: %q, reason: %q}", f, reason)}, lines...)
		}
	}
	if len(lines) == 0 {
		return nil, nil, errors.New("it is allowed already")
	}
	out, lines = place(text, lines)
	after := Default()
	if _, problems, _ := decode(out, &after, true); len(problems) > 0 || !reflect.DeepEqual(after, want) {
		return nil, nil, fmt.Errorf("there is no place for lines of their own in it; enter by hand, below allow: of scanner:\n%s", strings.Join(lines, ""))
	}
	return out, lines, nil
}

// place puts exceptions where scanner.allow has room for lines, which it returns. Without
// them the file is still right, so that they can be taken out again.
func place(text []byte, list []string) (out []byte, lines []string) {
	doc, _ := yamldoc.Parse(text)
	each := func(before, after string) {
		for _, a := range list {
			lines = append(lines, before+a+after+"\n")
		}
	}
	if !doc.Has("scanner.allow") {
		each("  ", ",")
		return enter(text, doc, "scanner", "\n", slices.Concat([]string{"allow: [\n"}, lines, []string{"]\n"})...), lines
	}
	at := doc.At("scanner.allow", "").Line
	rows := bytes.SplitAfter(text, []byte("\n"))
	row := strings.TrimSuffix(string(rows[at-1]), "\n")
	m := openList.FindStringSubmatch(row)
	if m == nil { // a list of lines, of which this is the first
		each("- ", "")
		return insertLines(text, at, row[:len(row)-len(strings.TrimLeft(row, " "))], lines), lines
	}
	each("  ", ",")
	more := lines
	if m[3] != "" {
		rows[at-1], more = []byte(m[1]+m[2]+m[4]+"\n"), append(slices.Clone(lines), "]\n")
	}
	return insertLines(bytes.Join(rows, nil), at+1, m[1], more), lines
}
