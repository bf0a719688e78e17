package llm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Own is the environment variable that a [Program] and all its children have: what
// such a session says teaches nothing, and its hooks are to do nothing.
const Own = "RNIX_WRITEBACK"

// Program is the user's own agent program: the prompt is its standard input, the
// answer its standard output. It runs without tools and hooks where it is one of those
// known, in an empty folder, with as little of the environment as it needs.
type Program struct {
	Command []string      // its name, looked up in PATH, and its arguments
	Timeout time.Duration // 0: five minutes; it and all its children are killed then
	Budget  *Budget       // of a day; nil: none
}

// A knownProgram is a row: what is put behind a word of its command, unless the command
// has it.
type knownProgram struct {
	after string // "": the program's name
	args  [][]string
}

// knownPrograms are run without tools, hooks, other people's servers and a session file.
//
//   - claude: https://code.claude.com/docs/en/cli-reference (--tools "" takes the built-in
//     tools away, --strict-mcp-config those of servers), /settings (disableAllHooks)
//   - codex: https://developers.openai.com/codex/noninteractive (events of --json), /cli/reference
//   - gemini: https://geminicli.com/docs/cli/headless (without --yolo, what would change
//     anything is refused)
//   - ollama: https://docs.ollama.com/cli
var knownPrograms = map[string]knownProgram{
	"claude": {args: [][]string{
		{"-p"},
		{"--output-format", "json"},
		{"--tools", ""},
		{"--strict-mcp-config"},
		{"--no-session-persistence"},
		{"--settings", `{"disableAllHooks":true}`},
	}},
	"codex": {after: "exec", args: [][]string{
		{"--json"}, {"--skip-git-repo-check"}, {"--sandbox", "read-only"}, {"--ephemeral"}, {"--disable", "hooks"},
	}},
	"gemini": {args: [][]string{{"--extensions", "none"}, {"--approval-mode", "default"}}},
	"ollama": {after: "run", args: [][]string{{"--hidethinking"}, {"--nowordwrap"}}},
}

// arguments completes the command by what is known of its program.
func (p Program) arguments() []string {
	row, ok := knownPrograms[filepath.Base(p.Command[0])]
	if !ok {
		return p.Command
	}
	at := 1
	if row.after != "" {
		at += slices.Index(p.Command[1:], row.after) + 1
	}
	var more []string
	for _, arg := range row.args {
		if !slices.Contains(p.Command, arg[0]) {
			more = append(more, arg...)
		}
	}
	return slices.Concat(p.Command[:at], more, p.Command[at:])
}

// passed are the variables that a program is given besides those in passedForms: what
// it needs to find itself, its login and its network.
var passed = regexp.MustCompile(`^(?:PATH|HOME|USER|LOGNAME|LANG|LC_\w+|TZ|XDG_\w+|ANTHROPIC_\w+|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CONFIG_DIR|OPENAI_\w+|CODEX_HOME|CODEX_API_KEY|GEMINI_\w+|GOOGLE_\w+|OLLAMA_\w+|(?i:https?_proxy|no_proxy|all_proxy)|SSL_CERT_FILE|SSL_CERT_DIR|NODE_EXTRA_CA_CERTS|REQUESTS_CA_BUNDLE)=`)

func environment(tag, dir string) []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return !passed.MatchString(kv) })
	return append(env, "TERM=dumb", "TMPDIR="+dir, Own+"="+tag)
}

// Ask implements [Model]. The program gets no terminal that it could ask for a login on.
func (p Program) Ask(ctx context.Context, prompt string) (string, error) {
	if len(p.Command) == 0 {
		return "", memory.Errorf(memory.KindUnavailable, opAsk, "no program is configured")
	}
	return p.Budget.spend(memory.Tokens(prompt)+answerTokens, func() (string, int, error) {
		text, err := p.run(ctx, prompt)
		return text, memory.Tokens(prompt) + memory.Tokens(text), err
	})
}

func (p Program) run(ctx context.Context, prompt string) (string, error) {
	dir, err := os.MkdirTemp("", "rnix-")
	if err != nil {
		return "", memory.Errorf(memory.KindInternal, opAsk, "no folder for the program: %w", err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	timeout := p.Timeout
	if timeout <= 0 {
		timeout = 5 * time.Minute
	}
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()

	args := p.arguments()
	tag := uuid.NewString()
	out := &bounded{most: maxAnswer, full: cancel}
	noise := &bounded{most: 64 << 10}
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, environment(tag, dir), strings.NewReader(prompt)
	cmd.Stdout, cmd.Stderr = out, noise
	// A session of its own has no terminal. The kernel kills the program if this process dies.
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second // a child may hold the output open
	runtime.LockOSThread()      // Pdeathsig is of the thread that starts it
	defer runtime.UnlockOSThread()
	err = cmd.Start()
	if err == nil {
		err = cmd.Wait()
		killAll(tag)
	}
	return p.answer(ctx, prompt, out, noise, err)
}

// answer is the text of a run that ended with err, or what went wrong, with the line in
// which the program says so.
func (p Program) answer(ctx context.Context, prompt string, out, noise *bounded, err error) (string, error) {
	name, line := filepath.Base(p.Command[0]), ""
	fail := func(kind memory.Kind, why string) (string, error) {
		return "", memory.Errorf(kind, opAsk, "%s %s%s", name, why, line)
	}
	switch {
	case out.over:
		return fail(memory.KindInvalid, "printed more than an answer can be")
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fail(memory.KindDenied, "is not installed, or not in PATH")
	case errors.Is(err, fs.ErrPermission), errors.Is(err, syscall.ENOEXEC):
		return fail(memory.KindDenied, "can't be executed")
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fail(memory.KindTimeout, "did not answer in time")
	case ctx.Err() != nil:
		return "", ctx.Err()
	}
	if errors.Is(err, exec.ErrWaitDelay) {
		err = nil // it ended well, and left a child behind
	}
	text, ok := answerIn(out.kept.String())
	short := len(text) <= maxComplaint
	if err == nil && ok {
		if _, answers := object(text); answers || !short {
			return text, nil
		}
		noise = &bounded{} // it ended well
	}
	said := noise.kept.String()
	if short || !ok {
		said = text + "\n" + said
	}
	for _, c := range complaints {
		if at := c.form.FindStringIndex(said); at != nil {
			line = quoted(said, at[0], prompt)
			return fail(c.kind, c.why)
		}
	}
	if err == nil && ok && strings.TrimSpace(text) != "" {
		return text, nil
	}
	if ok { // the text is what there is of an answer
		said = noise.kept.String()
	}
	said = strings.TrimSpace(said)
	line = quoted(said, len(said), prompt)
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return fail(memory.KindUnavailable, "ended with "+exit.ProcessState.String())
	}
	if err != nil {
		return fail(memory.KindUnavailable, "could not be run")
	}
	return fail(memory.KindInvalid, "printed no answer")
}

// maxComplaint is how long a text can be, in bytes, that a program prints in the place
// of an answer and means as an error.
const maxComplaint = 300

// quoted is the line of a program's words that holds an offset, to be put behind an error.
// It is "" where the line has words of the prompt, which a program may repeat.
func quoted(said string, at int, prompt string) string {
	line := said[strings.LastIndexByte(said[:at], '\n')+1:]
	line, _, _ = strings.Cut(line, "\n")
	line = strings.TrimSpace(line)
	if line == "" || strings.Contains(prompt, line) {
		return ""
	}
	for asked := range strings.Lines(prompt) {
		if asked = strings.TrimSpace(asked); len(asked) >= 20 && strings.Contains(line, asked) {
			return ""
		}
	}
	return ": " + strconv.Quote(clip(oneLine(line), 200))
}

// complaints are what programs say that did not answer.
var complaints = []struct {
	form *regexp.Regexp
	kind memory.Kind
	why  string
}{
	{regexp.MustCompile(`(?i)rate.?limit|too many requests|\b429\b|usage limit|hit your limit|quota|overloaded|\b529\b`), memory.KindUnavailable, "is at its limit for now"},
	{regexp.MustCompile(`(?i)log ?in\b|logged (?:in|out)|authenticat|unauthorized|\b401\b|api.?key|credential|auth method`), memory.KindDenied, "asks for a login"},
	{regexp.MustCompile(`(?i)model\b.{0,80}(?:not found|not exist|not supported|invalid|unknown)|(?:unknown|invalid) model|pull model`), memory.KindDenied, "does not know the model"},
	{regexp.MustCompile(`(?i)connection refused|could not connect|ECONNREFUSED|ENOTFOUND|network|dial tcp`), memory.KindUnavailable, "can't reach its server"},
}

// answerIn finds the answer in what a program printed: in the events of codex, where the
// last message of the agent counts, in the object or the list that claude prints,
// {"type":"result","is_error":false,"result":"..."}, or it is all of it. ok is false
// where the program tells of a failure in its stead.
func answerIn(out string) (text string, ok bool) {
	if !strings.Contains(out[:min(len(out), 100)], `"type"`) {
		return out, true
	}
	type event struct {
		Type, Result, Message string
		IsError               bool `json:"is_error"`
		Item                  struct{ Type, Text string }
		Error                 struct{ Message string }
	}
	for line := range strings.Lines(out) {
		list := make([]event, 1)
		if json.Unmarshal([]byte(line), &list[0]) != nil && json.Unmarshal([]byte(line), &list) != nil {
			continue
		}
		for _, e := range list {
			switch {
			case e.Type == "result":
				text, ok = e.Result, !e.IsError
			case e.Type == "item.completed" && e.Item.Type == "agent_message":
				text, ok = e.Item.Text, true
			case e.Type == "turn.failed" || e.Type == "error":
				text, ok = e.Message+e.Error.Message, false
			}
		}
	}
	return text, ok
}

// bounded keeps the first bytes of an output.
type bounded struct {
	kept bytes.Buffer // not embedded: io.Copy would read into it by its ReadFrom, without bounds
	most int
	over bool
	full func() // called when there is more; may be nil
}

// Write implements io.Writer.
func (b *bounded) Write(p []byte) (int, error) {
	room := b.most - b.kept.Len()
	if len(p) <= room {
		return b.kept.Write(p)
	}
	_, _ = b.kept.Write(p[:room])
	if b.over = true; b.full != nil {
		b.full()
	}
	return len(p), nil
}

// killAll kills whoever has the tag in its environment: also those that made a session
// of their own, and whose parents are gone. Two passes that find nobody are the end: a
// process that forks while one pass reads is found by the next.
func killAll(tag string) {
	mark := []byte(Own + "=" + tag)
	for pass, quiet := 0, 0; quiet < 2 && pass < 1000; pass++ {
		quiet++
		procs, _ := os.ReadDir("/proc")
		for _, d := range procs {
			if id, err := strconv.Atoi(d.Name()); err == nil && killTagged(id, mark) {
				quiet = 0
			}
		}
		if quiet == 0 {
			time.Sleep(time.Millisecond) // they need a moment to die
		}
	}
}

// killTagged kills one process, if it has the mark. Its environment reads empty once
// it is dead.
func killTagged(id int, mark []byte) bool {
	p, err := os.FindProcess(id) // by pidfd: the number can't become another's
	if err != nil {
		return false
	}
	defer func() { _ = p.Release() }()
	env, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(id), "environ"))
	return err == nil && bytes.Contains(env, mark) && p.Kill() == nil
}
