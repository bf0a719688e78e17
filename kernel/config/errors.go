package config

import (
	"strings"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// Problem is one thing wrong with a configuration file.
type Problem struct {
	File string `json:"file"`
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
