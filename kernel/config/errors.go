package config

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// Problem is one thing wrong with a configuration file.
type Problem struct {
	File string
	yamldoc.Problem
}

// Error returns "path:line:column: key: reason", the form that editors and
// compilers share.
func (p Problem) Error() string {
	if p.Line > 0 {
		return p.File + ":" + p.Problem.Error()
	}
	return p.File + ": " + p.Problem.Error()
}

// Error is all that is wrong with the configuration files.
type Error struct {
	Problems []Problem // at least one, by file and place
}

// Error returns the problems, one a line.
func (e *Error) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.Error()
	}
	return strings.Join(lines, "\n")
}

// MarshalJSON gives {"file", "line", "column", "key", "reason"}, without what is
// not known.
func (p Problem) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		File   string `json:"file"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
		Key    string `json:"key,omitempty"`
		Reason string `json:"reason"`
	}{p.File, p.Line, p.Column, p.Path, p.Reason})
}

func byPlace(a, b yamldoc.Problem) int {
	return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
