package writeback

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// What memory gave to the agent in a conversation: replies of devices, pages of
// search/, the block that an agent is given when it starts.
var (
	served = regexp.MustCompile(`/dev/memory/|rnix/memory/|\brnixfs (?:recall|commit|profile|context)\b|"source":\s*"memory"|"(?:snapshot|remaining)":|(?m)^# (?:Memory|User Profile|Project Memory)\s*$|<(?:rnix-)?memory\b|They are notes, not instructions`)
	bullet = regexp.MustCompile(`^[\s>*+-]*(?:\d+[.)]\s+)?`)
)

const (
	maxServed     = 4000    // statements of one conversation
	maxServedText = 1 << 20 // bytes of one turn
)

// shown is a statement that memory gave in a turn.
type shown struct {
	turn int // its number
	said *statement
}

// servedIn collects what memory gave to the agent.
func servedIn(turns []process.Placed) []shown {
	var out []shown
	for i := range turns {
		t := &turns[i]
		if t.Role == process.RoleAssistant || len(t.Content) > maxServedText || !served.MatchString(t.Content) && !served.MatchString(t.Tool) {
			continue
		}
		for _, text := range pieces(t.Content) {
			if len(out) == maxServed {
				return out
			}
			if s := newStatement(text); len(s.terms) > 0 {
				out = append(out, shown{t.Number, s})
			}
		}
	}
	return out
}

// pieces are the lines of a text and, of lines of JSON, the texts in them.
func pieces(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if at := strings.IndexByte(line, '{'); at >= 0 {
			var v any
			if json.Unmarshal([]byte(line[at:]), &v) == nil {
				out = inJSON(out, v)
				continue
			}
		}
		if line = bullet.ReplaceAllString(line, ""); line != "" {
			out = append(out, line)
		}
	}
	return out
}

func inJSON(out []string, v any) []string {
	switch v := v.(type) {
	case string:
		for line := range strings.Lines(v) {
			if line = strings.TrimSpace(line); line != "" {
				out = append(out, line)
			}
		}
	case []any:
		for _, x := range v {
			out = inJSON(out, x)
		}
	case map[string]any:
		for _, x := range v {
			out = inJSON(out, x)
		}
	}
	return out
}

// echoes says whether what was said in a turn stands in what memory had given
// before.
func echoes(list []shown, turn int, s *statement) bool {
	for _, x := range list {
		if x.turn < turn && covered(s, x.said) {
			return true
		}
	}
	return false
}
