package agents

import (
	"path/filepath"
	"slices"
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
	words := []string{quote(c.Binary), "hook"}
	if c.Recall {
		words = append(words, "--recall")
	}
	return strings.Join(append(words, agent), " ")
}

// quote makes one word of a shell command.
func quote(s string) string {
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}

// ours reports whether a shell command is one that was installed: rnixfs, by an
// absolute path, with the hook of this agent and nothing else. A person's own
// command around it is not ours.
func (c Command) ours(line, agent string) bool {
	words, ok := split(line)
	if !ok || len(words) < 3 || !filepath.IsAbs(words[0]) {
		return false
	}
	if words[0] != c.Binary && !strings.HasPrefix(filepath.Base(words[0]), "rnixfs") {
		return false
	}
	rest := slices.DeleteFunc(words[1:], func(w string) bool { return w == "--recall" })
	return slices.Equal(rest, []string{"hook", agent})
}

// split takes a plain shell command apart: words, single quotes and backslashes.
// ok is false for anything more, which is never ours.
func split(line string) (words []string, ok bool) {
	var word strings.Builder
	in := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == ' ' || c == '\t':
			if in {
				words = append(words, word.String())
				word.Reset()
			}
			in = false
		case c == '\'':
			end := strings.IndexByte(line[i+1:], '\'')
			if end < 0 {
				return nil, false
			}
			word.WriteString(line[i+1 : i+1+end])
			i += end + 1
			in = true
		case c == '\\' && i+1 < len(line):
			i++
			word.WriteByte(line[i])
			in = true
		case strings.IndexByte("\"$`;&|<>()*?[]#~{}!\n\\", c) >= 0:
			return nil, false
		default:
			word.WriteByte(c)
			in = true
		}
	}
	if in {
		words = append(words, word.String())
	}
	return words, true
}
