package config

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// entered stands behind each line that [AddCommand] enters.
const entered = " # entered by rnixfs install --learn\n"

// Command is writeback.command as a line of memory.yaml, for plain words and empty ones.
func Command(words []string) string {
	quoted := make([]string, len(words))
	for i, w := range words {
		if quoted[i] = w; w == "" {
			quoted[i] = `""`
		}
	}
	return "command: [" + strings.Join(quoted, ", ") + "]"
}

// AddCommand enters writeback.command into the text of a memory.yaml, in lines of its own:
// every other byte stays. A text that has another command, or no place for such lines, is
// an error that says what to do.
func AddCommand(text []byte, words []string) ([]byte, error) {
	line := Command(words)
	if !bytes.Equal(RemoveCommand(text, words), text) {
		return text, nil
	}
	byHand := fmt.Errorf("there is no place for a line of its own in it; enter it by hand, below writeback: %s", line)
	doc, problems := yamldoc.Parse(text)
	switch {
	case len(problems) > 0:
		return nil, problems[0]
	case doc.Has("writeback.command"):
		return nil, fmt.Errorf("writeback.command is in line %d of it already; change it there: %s", doc.At("writeback.command", "").Line, line)
	case doc.Has("writeback") && doc.Null("writeback"):
		return nil, byHand
	}
	out := enter(text, doc, "writeback", entered, line+entered)
	if doc, problems := yamldoc.Parse(out); len(problems) > 0 || !doc.Has("writeback.command") {
		return nil, byHand
	}
	return out, nil
}

// enter puts lines into a section of a text, before what is there, or with the section at
// its end. Behind the section's name comes a comment.
func enter(text []byte, doc *yamldoc.Document, section, comment string, entries ...string) []byte {
	if doc.Has(section) {
		first := doc.At(section, "") // its first key
		return insertLines(text, first.Line, strings.Repeat(" ", first.Column-1), entries)
	}
	out := bytes.Clone(text)
	if len(out) > 0 && out[len(out)-1] != '\n' {
		out = append(out, '\n')
	}
	out = append(out, section+":"+comment...)
	for _, e := range entries {
		out = append(out, "  "+e...)
	}
	if len(text) > 0 && text[len(text)-1] != '\n' {
		out = bytes.TrimSuffix(out, []byte("\n"))
	}
	return out
}

// insertLines puts lines, each with its end, before a line, which is counted from 1.
func insertLines(text []byte, before int, indent string, entries []string) []byte {
	lines := bytes.SplitAfter(text, []byte("\n"))
	at := bytes.Join(lines[:before-1], nil)
	out := bytes.Clone(at)
	for _, e := range entries {
		out = append(out, indent+e...)
	}
	return append(out, text[len(at):]...)
}

// RemoveCommand takes out what [AddCommand] entered: the section too, unless something
// else has come into it.
func RemoveCommand(text []byte, words []string) []byte {
	comment := regexp.QuoteMeta(strings.TrimSpace(entered))
	line, section := ` +`+regexp.QuoteMeta(Command(words))+` `+comment, `writeback: `+comment+`\n`
	for _, form := range []string{`(\n` + section + line + `)\z`, `(?m:(^` + section + line + `\n))(?:\z|[^ ])`, `(?m:(^` + line + `(?:\n|\z)))`} {
		if at := regexp.MustCompile(form).FindSubmatchIndex(text); at != nil {
			return slices.Concat(text[:at[2]], text[at[3]:])
		}
	}
	return text
}
