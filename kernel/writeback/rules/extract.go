package rules

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	maxFound = 256     // candidates of a conversation
	maxTotal = 1 << 20 // bytes of the user's turns that are read, the newest ones
)

// extraction is the state of one call of Extract.
type extraction struct {
	found []Candidate
	last  []string // ids of the user's turns so far
}

// Extract returns what a conversation taught, in the order in which it was said. It
// depends on nothing but its argument, and its time grows with the size of the
// conversation up to a bound.
func Extract(c process.Transcript) []Candidate {
	x := &extraction{}
	var commands lessons
	for _, t := range newest(c.Turns) {
		switch t.Role {
		case process.RoleUser:
			commands.failed = nil
			x.hear(t)
		case process.RoleTool:
			if c, ok := commands.take(t); ok {
				x.add(c)
			}
		}
	}
	return x.found
}

// hear takes what the user says in a turn.
func (x *extraction) hear(t process.Turn) {
	x.last = append(x.last, t.ID)
	for _, s := range statements(t) {
		s.opens = len(x.last) == 1
		back := ask("takesback").parts(s.text)
		if back != nil {
			s.text, s.prev = back[1], "No."
		}
		c, ok := s.find()
		if back != nil && (ok || back[1] == "") {
			x.takeBack()
		}
		if ok {
			x.add(c)
		}
	}
}

// takeBack drops what was found in the last of the user's turns that taught
// something, if that is this one or the one before.
func (x *extraction) takeBack() {
	for _, turn := range slices.Backward(x.last[max(0, len(x.last)-2):]) {
		had := len(x.found)
		x.found = slices.DeleteFunc(x.found, func(c Candidate) bool {
			return c.Category != Command && c.Turns[len(c.Turns)-1] == turn
		})
		if len(x.found) < had {
			return
		}
	}
}

// add takes a candidate in. What was said before in the same words is said again
// now.
func (x *extraction) add(c Candidate) {
	said := strings.Join(tokens(c.Content), " ")
	i := slices.IndexFunc(x.found, func(old Candidate) bool {
		return old.Target == c.Target && strings.Join(tokens(old.Content), " ") == said
	})
	switch {
	case i >= 0:
		turns := slices.Concat(x.found[i].Turns, c.Turns)
		if c.Asked && !x.found[i].Asked {
			x.found[i] = c
		}
		x.found[i].Turns = turns
	case c.Content != "" && len(x.found) < maxFound:
		x.found = append(x.found, c)
	}
}

// newest are the turns from the end that are within the bounds.
func newest(turns []process.Turn) []process.Turn {
	total := 0
	for i, t := range slices.Backward(turns) {
		if t.Role == process.RoleUser {
			total += min(len(t.Content), maxTurn)
		}
		if total > maxTotal {
			return turns[i+1:]
		}
	}
	return turns
}
