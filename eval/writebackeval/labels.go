package writebackeval

import (
	"bufio"
	"bytes"
	_ "embed"
	"encoding/json"
	"io"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// builtin is the labelled set. It names conversations and holds none of their
// text but the few words by which a candidate is known.
//
//go:embed testdata/labels.jsonl
var builtin []byte

// The splits: rules are made while looking at train, and judged by test and other,
// at which whoever makes them does not look. A label file knows these three.
const (
	Train  = "train"
	Test   = "test"
	Other  = "other"
	Unseen = "unseen" // test and other
	All    = "all"
	Agents = "agents" // other conversations, with labels of their own: see measureAgents
)

// Splits returns what a report can be about.
func Splits() []string { return []string{Train, Test, Other, Unseen, All, Agents} }

// within reports whether a report on split is about a conversation of c's.
func (c Case) within(split string) bool {
	return split == All || split == c.Split || split == Unseen && c.Split != Train
}

// Label is a line of the label file. A line with Split names a conversation;
// those without are judgements on what stands in it.
type Label struct {
	// Conversation is the path of its file below the data folder with slashes; of
	// a file with many, then "#" and its name there.
	Conversation string `json:"conversation"`
	Split        string `json:"split,omitempty"` // train, test or other
	// User is which of two speakers is taken for the user: a or b.
	User string `json:"user,omitempty"`

	// Turns are where it was said: u0 is the user's first turn, u1 the second.
	// Empty: anywhere.
	Turns    []string     `json:"turns,omitempty"`
	Label    string       `json:"label,omitempty"`    // keep or drop
	Category string       `json:"category,omitempty"` // of what to keep
	Target   memory.Scope `json:"target,omitempty"`   // of what to keep
	// Terms must all be in a candidate's content, in lower case, for the
	// candidate to be the one that is meant.
	Terms []string `json:"terms,omitempty"`
}

// Case is a conversation with the judgements on it.
type Case struct {
	Name, Split, User string
	Keep, Drop        []Label
}

// ReadLabels reads a label file. Errors are KindInvalid.
func ReadLabels(r io.Reader) ([]Case, error) {
	const op = "read labels"
	var cases []Case
	scan := bufio.NewScanner(r)
	scan.Buffer(nil, 1<<20)
	for n := 1; scan.Scan(); n++ {
		line := bytes.TrimSpace(scan.Bytes())
		if len(line) == 0 {
			continue
		}
		var l Label
		dec := json.NewDecoder(bytes.NewReader(line))
		dec.DisallowUnknownFields()
		if err := dec.Decode(&l); err != nil {
			return nil, memory.Errorf(memory.KindInvalid, op, "line %d: %w", n, err)
		}
		if why := l.take(&cases); why != "" {
			return nil, memory.Errorf(memory.KindInvalid, op, "line %d: %s", n, why)
		}
	}
	if err := scan.Err(); err != nil {
		return nil, memory.Errorf(memory.KindInvalid, op, "%w", err)
	}
	return cases, nil
}

// take adds a line to the cases, and says what is wrong with it.
func (l Label) take(cases *[]Case) string {
	if l.Split != "" {
		if !slices.Contains([]string{Train, Test, Other}, l.Split) {
			return "the split is none of train, test and other"
		}
		if slices.ContainsFunc(*cases, func(c Case) bool { return c.Name == l.Conversation && c.User == l.User }) {
			return "the conversation was named before"
		}
		*cases = append(*cases, Case{Name: l.Conversation, Split: l.Split, User: l.User})
		return ""
	}
	if len(*cases) == 0 || (*cases)[len(*cases)-1].Name != l.Conversation {
		return "the conversation was not named before"
	}
	if len(l.Terms) == 0 {
		return "no terms"
	}
	c := &(*cases)[len(*cases)-1]
	switch l.Label {
	case "keep":
		c.Keep = append(c.Keep, l)
	case "drop":
		c.Drop = append(c.Drop, l)
	default:
		return "the label is neither keep nor drop"
	}
	return ""
}

// means says whether a candidate is what a label is about.
func (l Label) means(content string, at []string) bool {
	if len(l.Turns) > 0 && !slices.ContainsFunc(at, func(t string) bool { return slices.Contains(l.Turns, t) }) {
		return false
	}
	content = strings.ToLower(content)
	for _, t := range l.Terms {
		if !strings.Contains(content, t) {
			return false
		}
	}
	return true
}
