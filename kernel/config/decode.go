package config

import (
	"fmt"
	"slices"

	"github.com/rnixfs/rnixfs/kernel/yamldoc"
)

// maxBytes bounds a memory.yaml: generous for fifteen keys and their comments.
const maxBytes = 64 << 10

// decode lays one file over c and returns the lines of the keys that it has. own
// says that the file is the user's, not a project's. With problems, c is not fit for
// use.
func decode(data []byte, c *Config, own bool) (lines map[string]int, problems []yamldoc.Problem) {
	if len(data) > maxBytes {
		return nil, []yamldoc.Problem{{Reason: fmt.Sprintf("is larger than %d bytes", maxBytes)}}
	}
	before, def := *c, Default()
	doc, problems := yamldoc.Parse(data)
	problems = append(problems, doc.Decode(c)...)
	lines = map[string]int{}
	for _, s := range settings {
		if !doc.Has(s.name) {
			continue
		}
		lines[s.name] = doc.At(s.name, "").Line
		if s.personal && !own {
			delete(lines, s.name)
			if is := s.show(c); is == s.show(&before) || is == s.show(&def) {
				continue // a copy of the reference: it says nothing, and changes nothing
			}
			problems = append(problems, doc.At(s.name, "counts only in your own memory.yaml or the file of --config: whoever wrote this one would decide for you"))
		}
		if doc.Null(s.name) {
			problems = append(problems, doc.At(s.name, "has no value; leave the line out for the default"))
		} else if reason := s.check(c); reason != "" {
			problems = append(problems, doc.At(s.name, "%s", reason))
		}
	}
	if !own { // all of what is personal
		c.Scanner, c.LLM = before.Scanner, before.LLM
	}
	return lines, ordered(problems)
}

// ordered sorts problems by place and keeps the first at each: an alias where a
// number belongs is one mistake.
func ordered(problems []yamldoc.Problem) []yamldoc.Problem {
	slices.SortStableFunc(problems, byPlace)
	return slices.CompactFunc(problems, func(a, b yamldoc.Problem) bool {
		return byPlace(a, b) == 0 && a.Path == b.Path
	})
}
