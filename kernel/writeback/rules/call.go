package rules

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	maxHead    = 1 << 10 // bytes of the first line of a tool's turn
	maxCommand = 120     // runes of a command in a candidate
)

// call is a command that an agent ran, as a turn of a tool tells it.
type call struct {
	line   string // the command, on one line; "" where the turn tells none
	dir    string // where it ran, "" where that is not told
	answer string
	failed bool
}

// readCall reads a turn of a tool as a command: as the readers of histories write it,
// Bash(command: ls) with the answer below, or as an agent tells it to the process
// device: JSON, or a first line behind "$ " or, of a tool that runs a shell, a plain
// one of a program that is known. An answer alone, of a call that is told nowhere,
// must not pass for a command: anybody may have written it.
func readCall(t process.Turn) (c call) {
	shell := ask("shell").of(t.Tool)
	head, answer, _ := strings.Cut(t.Content, "\n")
	name, args, _ := strings.Cut(head, "(")
	called := ask("called").parts(args[:min(len(args), maxHead)])
	c.answer = answer
	switch {
	case strings.HasPrefix(head, "{") && (shell || t.Tool == ""):
		c = inObject(t.Content)
	case len(head) > maxHead || strings.HasSuffix(head, "\\"): // it goes on below
	case called != nil && (shell || ask("shell").of(name)):
		c.line = cmp.Or(inJSON([]byte(called[1])), called[1])
		if m := ask("folder").parts(called[2]); m != nil {
			c.dir = m[1]
		}
	case strings.HasPrefix(head, "$ ") && (shell || t.Tool == ""):
		c.line = head[2:]
	case shell && ask("bareline").of(head) && !ask("selftalk").of(head) && ask("program").of(programOf(head)):
		c.line = head
	}
	if m := ask("wrapped").parts(c.line); m != nil {
		c.line = m[1]
	}
	c.failed = c.failed || t.Failed
	c.line = oneLine(c.line)
	if m := ask("infolder").parts(c.line); m != nil {
		c.dir, c.line = m[1], m[2]
	}
	return c
}

// inObject reads a call that is a JSON object, and may have its answer in it or
// behind it.
func inObject(text string) (c call) {
	dec := json.NewDecoder(strings.NewReader(text[:min(len(text), maxTurn)]))
	var v struct {
		Command, Cmd                  json.RawMessage
		Cwd, Workdir                  string
		Output, Stdout, Stderr, Error string
		ExitCode                      int `json:"exit_code"`
	}
	if dec.Decode(&v) != nil {
		return c
	}
	if v.Command == nil {
		v.Command = v.Cmd
	}
	if c.line = inJSON(v.Command); strings.Contains(c.line, "\n") {
		c.line = ""
	}
	c.dir, c.failed = v.Cwd+v.Workdir, v.ExitCode != 0
	c.answer = strings.Join([]string{v.Output, v.Stdout, v.Stderr, v.Error, text[dec.InputOffset():]}, "\n")
	return c
}

// inJSON is a command that is a JSON string, or a list of words, as execve(2) takes it.
func inJSON(raw []byte) (line string) {
	if json.Unmarshal(raw, &line) != nil {
		var words []string
		_ = json.Unmarshal(raw, &words)
		line = strings.Join(words, " ")
	}
	return line
}

// programOf is the word of a command that names the program.
func programOf(line string) string {
	if m := ask("programof").parts(line); m != nil {
		return m[1]
	}
	return ""
}
