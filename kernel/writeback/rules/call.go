package rules

import (
	"encoding/json"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	maxHead    = 1 << 10  // bytes of the first line of a tool's turn
	maxCommand = 120      // runes of a command in a candidate
	maxObject  = 64 << 10 // bytes of a call that is JSON
)

// call is a command that an agent ran, as a turn of a tool tells it.
type call struct {
	line   string // the command, on one line
	dir    string // where it ran, "" where that is not told
	answer string
	failed bool
}

var (
	// shells are the tools that run a shell's commands, as agents call them.
	shells   = lazily(`(?i)^(?:bash|shell|sh|zsh|terminal|local_shell|exec|exec_command|execute|execute_command|run|run_command|run_shell_command|run_terminal_cmd|run_terminal_command|command|powershell|container\.exec|unified_exec)$`)
	argument = lazily(`^(?:command|cmd|script|input|code): `)
	nextArg  = lazily(`, (?:description|timeout|timeout_ms|workdir|cwd|is_background|explanation|run_in_background|directory|yield_time_ms|max_output_tokens|login|justification|security_risk|with_escalated_permissions|require_user_approval|restart): `)
	dirArg   = lazily(`, (?:workdir|cwd|directory): ([^,]+)`)
	wrapper  = lazily(`^(?:\["?(?:bash|sh|zsh)"?,\s*"-l?c",\s*"(.*)"\]|(?:bash|sh) -l?c ['"](.*)['"])$`)
	inFolder = lazily(`^cd ([^&;|]+?) *(?:&&|;) *`)
)

// readCall reads a turn of a tool as a command, if it was one.
func readCall(t process.Turn) (c call, ok bool) {
	if c, ok = asCalled(t); !ok {
		c, ok = asTold(t)
	}
	if !ok {
		return c, false
	}
	c.failed = c.failed || t.Failed
	if m := wrapper.FindStringSubmatch(c.line); m != nil {
		c.line = m[1] + m[2]
	}
	c.line = oneLine(c.line)
	if m := inFolder.FindStringSubmatch(c.line); m != nil {
		c.dir, c.line = m[1], strings.TrimSpace(c.line[len(m[0]):])
	}
	return c, c.line != ""
}

// asCalled reads a call as the readers of histories write it: Bash(command: ls) on
// the first line, and below it what was answered.
func asCalled(t process.Turn) (c call, ok bool) {
	head, answer, _ := strings.Cut(t.Content, "\n")
	name, args, ok := strings.Cut(head, "(")
	if !ok || len(head) > maxHead || !strings.HasSuffix(args, ")") || !shells.MatchString(name) && !shells.MatchString(t.Tool) {
		return c, false
	}
	line := argument.ReplaceAllString(strings.TrimSuffix(args, ")"), "")
	if at := nextArg.FindStringIndex(line); at != nil {
		if m := dirArg.FindStringSubmatch(line[at[0]:]); m != nil {
			c.dir = m[1]
		}
		line = line[:at[0]]
	}
	c.line, c.answer = line, answer
	return c, true
}

var (
	// bareLine is a first line that may be a command, with nothing before it that says
	// so; selfTalk is what programs say of themselves ("npm ERR!").
	bareLine = lazily(`^[\w./@=-]+(?: (?:[\w./:=@%+,*'"{}\[\]~^$-]*[\w/'"}\]*]|\.|--|-|&&|\|\|?|;|[<>]))*$`)
	selfTalk = lazily(`^\S+ (?i:err|error|errors|warn|warning|notice|info|debug|fatal|failed|fails|exited|version|is|was|has|could|cannot|can't)\b`)
)

// asTold reads a call as an agent tells it to the process device: the command is the
// first line, behind "$ " or, of a tool that runs a shell, a plain one of a program
// that is known; or JSON with the command in it. An answer alone, of a call that is
// told nowhere, must not pass for a command: anybody may have written it.
func asTold(t process.Turn) (c call, ok bool) {
	shell := shells.MatchString(t.Tool)
	if !shell && t.Tool != "" {
		return c, false
	}
	if strings.HasPrefix(t.Content, "{") {
		return inObject(t.Content)
	}
	head, answer, _ := strings.Cut(t.Content, "\n")
	if len(head) > maxHead || strings.HasSuffix(head, "\\") { // it goes on below
		return c, false
	}
	c.answer = answer
	if c.line, ok = strings.CutPrefix(head, "$ "); ok {
		return c, true
	}
	return c, shell && bareLine.MatchString(head) && !selfTalk.MatchString(head) && programs[programOf(head)]
}

// inObject reads a call that is a JSON object, and may have its answer in it or
// behind it.
func inObject(text string) (c call, ok bool) {
	dec := json.NewDecoder(strings.NewReader(text[:min(len(text), maxObject)]))
	var v struct {
		Command, Cmd                  any
		Cwd, Workdir                  string
		Output, Stdout, Stderr, Error string
		ExitCode                      int `json:"exit_code"`
	}
	if dec.Decode(&v) != nil {
		return c, false
	}
	if v.Command == nil {
		v.Command = v.Cmd
	}
	switch command := v.Command.(type) {
	case string:
		c.line = command
	case []any: // as execve(2) takes it
		words := make([]string, len(command))
		for i, w := range command {
			words[i], _ = w.(string)
		}
		if len(words) == 3 && shells.MatchString(words[0]) && (words[1] == "-c" || words[1] == "-lc") {
			words = words[2:]
		}
		c.line = strings.Join(words, " ")
	}
	c.dir, c.failed = v.Cwd+v.Workdir, v.ExitCode != 0
	c.answer = strings.Join([]string{v.Output, v.Stdout, v.Stderr, v.Error, text[dec.InputOffset():]}, "\n")
	return c, c.line != "" && !strings.Contains(c.line, "\n")
}

// programOf is the word of a command that names the program.
func programOf(line string) string {
	for w := range strings.FieldsSeq(line) {
		if w != "sudo" && w != "env" && w != "time" && !strings.Contains(w, "=") {
			return w[strings.LastIndexByte(w, '/')+1:]
		}
	}
	return ""
}
