package agents

import (
	"path/filepath"
	"regexp"
	"strings"
)

// Command is the shell command that is entered for a hook.
type Command struct {
	Binary string // absolute path of rnixfs
	Recall bool   // search memory on every prompt
}

// line returns the command as a shell reads it: POSIX shells and fish, which
// Codex starts when it is the user's.
func (c Command) line(agent string) string {
	words := []string{Quote(c.Binary), "hook"}
	if c.Recall {
		words = append(words, "--recall")
	}
	return strings.Join(append(words, agent), " ")
}

// Quote makes one word of a shell command.
func Quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// hookLine is a line of ours: a path, in single quotes or plain, and its words.
var hookLine = regexp.MustCompile(`^('(?:[^']|'\\'')*'|[\w/.+-]+) hook (?:--recall )?(\w+)$`)

// ours reports whether a shell command is one that was installed: rnixfs, by an
// absolute path, with the hook of this agent and nothing else. A person's own
// command around it is not ours.
func (c Command) ours(line, agent string) bool {
	m := hookLine.FindStringSubmatch(line)
	if m == nil || m[2] != agent {
		return false
	}
	path, quoted := strings.CutPrefix(m[1], "'")
	if quoted {
		path = strings.ReplaceAll(strings.TrimSuffix(path, "'"), `'\''`, "'")
	}
	return c.own(path)
}

// own reports whether a path is that of rnixfs, also from another place.
func (c Command) own(path string) bool {
	return filepath.IsAbs(path) && (path == c.Binary || strings.HasPrefix(filepath.Base(path), "rnixfs"))
}
