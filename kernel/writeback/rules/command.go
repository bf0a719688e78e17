package rules

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

const (
	maxHead    = 1 << 10  // bytes of the first line of a tool's turn
	maxOutput  = 4 << 10  // bytes of its answer that are looked at, head and tail
	maxCommand = 120      // runes of a command in a candidate
	maxTold    = 64 << 10 // bytes of a call that is JSON
	window     = 8        // how many commands later the form that works may come
)

// call is a command that an agent ran.
type call struct {
	id     string
	line   string   // the command, on one line
	words  []string // its words
	failed bool
	why    string // in our words; "" when it is not known
}

var (
	// The tools that run a shell's commands, as agents call them.
	shells   = lazily(`(?i)^(?:bash|shell|sh|zsh|terminal|local_shell|exec|exec_command|execute|execute_command|run|run_command|run_shell_command|run_terminal_cmd|run_terminal_command|command|powershell|container\.exec|unified_exec)$`)
	argument = lazily(`^(?:command|cmd|script|input|code): `)
	nextArg  = lazily(`, (?:description|timeout|timeout_ms|workdir|cwd|is_background|explanation|run_in_background|directory|yield_time_ms|max_output_tokens|login|justification|security_risk|with_escalated_permissions|require_user_approval|restart): `)
	wrapper  = lazily(`^(?:\["?(?:bash|sh|zsh)"?,\s*"-l?c",\s*"(.*)"\]|(?:bash|sh) -l?c ['"](.*)['"])$`)
	inFolder = lazily(`^cd [^&;|]+(?:&&|;) *`)
	plainArg = lazily(`^[A-Za-z][\w-]*$`)
)

// causes are the reasons of failures that we can name. What a tool answered never
// becomes part of a memory: it may be written by anybody.
var causes = []struct {
	sign *pattern
	why  string
}{
	{lazily(`(?i)command not found|not recognized as an internal|: not found\b|executable file not found|No such command`), "command not found"},
	{lazily(`(?i)externally[- ]managed`), "externally managed environment"},
	{lazily(`(?i)ModuleNotFoundError|No module named|Cannot find (?:module|package)|cannot find package|ImportError`), "module not found"},
	{lazily(`(?i)unknown (?:flag|option|argument)|unrecognized (?:option|argument)|invalid option|no such option|illegal option|unexpected argument`), "unknown option"},
	{lazily(`(?i)unknown command|no such (?:sub)?command|invalid choice|Missing script|is not a \w+ command|No rule to make target|unknown script`), "unknown subcommand"},
	{lazily(`(?i)permission denied|EACCES|operation not permitted|access denied|requires? root`), "permission denied"},
	{lazily(`(?i)timed? ?out|deadline exceeded`), "timed out"},
	{lazily(`(?i)connection refused|could not connect|could not resolve host|network is unreachable|ECONNREFUSED`), "no connection"},
	{lazily(`(?i)address already in use|EADDRINUSE|port \d+ is (?:already )?in use`), "port in use"},
	{lazily(`(?i)no such file or directory|cannot open|cannot access|does not exist|ENOENT|can't open file`), "no such file"},
	{lazily(`(?i)syntax ?error|parse error`), "syntax error"},
	{lazily(`(?i)version (?:mismatch|conflict)|unsupported (?:version|engine)|requires (?:node|python|go)\b`), "wrong version"},
}

// An answer that begins or ends so tells of a failure where no flag does.
var failures = lazily(`(?im)^(?:[\w./-]+: )*(?:error|fatal|failed|usage|traceback \(most recent call last\)|npm err!|command not found|execution timed out|exit code:? [1-9]\d*|panic)\b|: command not found|not recognized as an internal|no such file or directory|(?:No module named|Cannot find module) |permission denied|externally-managed-environment|unknown (?:command|flag|option)|: not found$|\(exit (?:code|status) [1-9]\d*\)`)

// looks are the programs that only look, or write text: their failures teach
// nothing about how things are done.
var looks = words(`cat ls cd find grep rg head tail sed awk open echo pwd rm cp mv mkdir touch edit submit view wc which type file stat tree less more goto scroll_down scroll_up search_file search_dir find_file create diff true false test sleep kill ps export source read_file exit printf set whoami date du df env history man chmod chown ln sort uniq tee xargs str_replace insert`)

// commandOf reads a turn of a tool as a command, if it was one.
func commandOf(t process.Turn) (call, bool) {
	line, answer, ok := asCalled(t)
	if !ok {
		line, answer, ok = asTold(&t)
	}
	if !ok {
		return call{}, false
	}
	if m := wrapper.FindStringSubmatch(line); m != nil {
		line = m[1] + m[2]
	}
	line = strings.TrimSpace(inFolder.ReplaceAllString(strings.Join(strings.Fields(plain(line)), " "), ""))
	c := call{id: t.ID, line: line, words: strings.Fields(line)}
	c.failed, c.why = outcome(t.Failed, answer)
	return c, len(c.words) > 0 && !strings.Contains(line, "`") && len([]rune(line)) <= maxCommand && !looks[c.program()] && !strings.Contains(line, "<<")
}

// asCalled reads a call as the readers of histories write it: Bash(command: ls) on
// the first line, and below it what was answered.
func asCalled(t process.Turn) (line, answer string, ok bool) {
	head, answer, _ := strings.Cut(t.Content, "\n")
	if len(head) > maxHead {
		return "", "", false
	}
	name, args, ok := strings.Cut(head, "(")
	if !ok || !strings.HasSuffix(args, ")") {
		return "", "", false
	}
	args = strings.TrimSuffix(args, ")")
	line = args
	switch {
	case shells.MatchString(name) || shells.MatchString(t.Tool):
		line = argument.ReplaceAllString(line, "")
		if at := nextArg.FindStringIndex(line); at != nil {
			line = line[:at[0]]
		}
	case plainArg.MatchString(name) && !strings.ContainsAny(name, "_") && strings.ToLower(name) == name && !looks[name]:
		line = name + " " + args // the tool is the program
	default:
		return "", "", false
	}
	return line, answer, true
}

var (
	// A first line that may be a command, with nothing before it that says so: words
	// as they stand in one, and none as programs say of themselves ("npm ERR!").
	bareLine = lazily(`^[\w./@=-]+(?: (?:[\w./:=@%+,*'"{}\[\]~^$-]*[\w/'"}\]*]|\.|--|-|&&|\|\|?|;|[<>]))*$`)
	selfTalk = lazily(`^(?i:err|error|errors|warn|warning|notice|info|debug|fatal|failed|fails|exited|version|is|was|has|could|cannot|can't)$`)
)

// asTold reads a call as an agent tells it to the process device: the command is the
// first line, behind "$ " or, of a tool that runs a shell, a plain one of a program
// that is known; or JSON with the command in it. What was answered comes after it.
//
// An answer alone, of a call that is told nowhere, must not pass for a command: it
// may be written by anybody.
func asTold(t *process.Turn) (line, answer string, ok bool) {
	shell := shells.MatchString(t.Tool)
	if !shell && t.Tool != "" {
		return "", "", false
	}
	if strings.HasPrefix(t.Content, "{") {
		return inObject(t)
	}
	head, answer, _ := strings.Cut(t.Content, "\n")
	if len(head) > maxHead || strings.HasSuffix(head, "\\") { // it goes on below
		return "", "", false
	}
	if line, ok := strings.CutPrefix(head, "$ "); ok {
		return line, answer, true
	}
	return head, answer, shell && isBare(head)
}

// isBare says whether a line that nothing marks is a command.
func isBare(line string) bool {
	words := strings.Fields(line)
	if !bareLine.MatchString(line) || len(words) > 1 && selfTalk.MatchString(words[1]) {
		return false
	}
	name := call{words: words}.program()
	return slices.ContainsFunc(families, func(f []string) bool { return slices.Contains(f, name) })
}

// inObject reads a call that is a JSON object, and may have its answer in it or
// behind it.
func inObject(t *process.Turn) (line, answer string, ok bool) {
	dec := json.NewDecoder(strings.NewReader(t.Content[:min(len(t.Content), maxTold)]))
	var v struct {
		Command, Cmd                  any
		Output, Stdout, Stderr, Error string
		ExitCode                      int `json:"exit_code"`
	}
	if dec.Decode(&v) != nil {
		return "", "", false
	}
	if v.Command == nil {
		v.Command = v.Cmd
	}
	switch c := v.Command.(type) {
	case string:
		line = c
	case []any: // as execve(2) takes it
		words := make([]string, len(c))
		for i, w := range c {
			words[i], _ = w.(string)
		}
		if len(words) == 3 && shells.MatchString(words[0]) && (words[1] == "-c" || words[1] == "-lc") {
			words = words[2:]
		}
		line = strings.Join(words, " ")
	}
	t.Failed = t.Failed || v.ExitCode != 0
	answer = strings.Join([]string{v.Output, v.Stdout, v.Stderr, v.Error, t.Content[dec.InputOffset():]}, "\n")
	return line, answer, line != "" && !strings.Contains(line, "\n")
}

// outcome says whether a command failed, and why in our words.
func outcome(failed bool, answer string) (bool, string) {
	if len(answer) > maxOutput {
		answer = answer[:maxOutput/2] + "\n" + answer[len(answer)-maxOutput/2:]
	}
	if !failed && !failures.MatchString(answer) {
		return false, ""
	}
	for _, c := range causes {
		if c.sign.MatchString(answer) {
			return true, c.why
		}
	}
	return true, ""
}

// program is the first word of a command that names a program.
func (c call) program() string {
	for _, w := range c.words {
		if w != "sudo" && w != "env" && w != "time" && !strings.Contains(w, "=") {
			return w[strings.LastIndexByte(w, '/')+1:]
		}
	}
	return ""
}

// lessons finds commands that failed and the form that then worked.
type lessons struct {
	failed []call // waiting for a form that works, oldest first
	age    []int
	found  []Candidate
	bad    bool // the run failed
}

// maxLessons bounds the lessons of a conversation.
const maxLessons = 64

func (l *lessons) take(t process.Turn) {
	c, ok := commandOf(t)
	if !ok {
		return
	}
	for i := 0; i < len(l.failed); {
		if l.age[i]++; l.age[i] > window {
			l.failed, l.age = slices.Delete(l.failed, i, i+1), slices.Delete(l.age, i, i+1)
			continue
		}
		i++
	}
	if c.failed {
		l.failed, l.age = append(l.failed, c), append(l.age, 0)
		return
	}
	for i := len(l.failed) - 1; i >= 0; i-- {
		if f := l.failed[i]; f.line == c.line {
			// It works as it was: what changed is something else.
			l.failed, l.age = slices.Delete(l.failed, i, i+1), slices.Delete(l.age, i, i+1)
		} else if teaches(f, c) && len(l.found) < maxLessons {
			l.found = append(l.found, l.lesson(f, c))
			l.failed, l.age = slices.Delete(l.failed, i, i+1), slices.Delete(l.age, i, i+1)
		}
	}
}

// teaches says whether the second command is another form of the first: the same
// end by another program, subcommand, option or prefix. Another path or another
// text only is another end.
func teaches(failed, worked call) bool {
	if failed.why == "" && failed.program() == worked.program() {
		return false // its tests failed, or its compilation
	}
	only := func(a, b []string) []string {
		var out []string
		for _, w := range a {
			if !slices.Contains(b, w) {
				out = append(out, w)
			}
		}
		return out
	}
	gone, added := only(failed.words, worked.words), only(worked.words, failed.words)
	common := len(failed.words) - len(gone)
	if failed.program() != worked.program() {
		return akin(failed.program(), worked.program()) && (common > 0 || len(failed.words) == 1) || common >= 2 && common >= len(failed.words)-1 ||
			common >= 1 && len(failed.words) <= 3 && slices.Contains(worked.words, failed.words[0])
	}
	if failed.why == "no such file" && !slices.ContainsFunc(added, bareWord) {
		return false
	}
	return common*2 >= len(failed.words) && (slices.ContainsFunc(added, bareWord) || slices.ContainsFunc(gone, bareWord))
}

// bareWord says whether a word of a command is a subcommand or an option rather
// than a path, a number or a text.
func bareWord(w string) bool {
	if strings.HasPrefix(w, "-") && len(w) > 1 {
		return true
	}
	return plainArg.MatchString(strings.ReplaceAll(w, ":", ""))
}

// families are programs that take each other's place.
var families = [][]string{
	{"npm", "pnpm", "yarn", "bun", "npx", "bunx", "pnpx", "corepack"},
	{"node", "bun", "deno", "tsx", "ts-node"},
	{"pip", "pip3", "pipx", "uv", "poetry", "conda", "python", "python3", "pipenv", "apt", "apt-get"},
	{"python", "python3", "python2", "py", "uv", "poetry", "pytest", "tox", "nox", "pipenv", "hatch"},
	{"docker-compose", "docker", "podman"},
	{"make", "gmake", "just", "task", "cmake", "ninja"},
	{"mvn", "mvnw", "gradle", "gradlew"},
	{"gcc", "clang", "cc", "g++", "c++"},
	{"apt", "apt-get", "brew", "yum", "dnf", "apk", "pacman"},
	{"jest", "vitest", "mocha", "npm", "pnpm", "yarn", "bun", "npx"},
	{"rspec", "bundle", "rake", "rails", "ruby"},
	{"phpunit", "composer", "php"},
	{"go", "gotestsum", "make"},
	{"cargo", "rustc", "cross"},
	{"vim", "vi", "nano"},
}

func akin(a, b string) bool {
	return slices.ContainsFunc(families, func(f []string) bool { return slices.Contains(f, a) && slices.Contains(f, b) })
}

func (l *lessons) lesson(f, w call) Candidate {
	why := ""
	if f.why != "" {
		why = " (" + f.why + ")"
	}
	c := Candidate{
		Target: memory.ScopeProject, Category: Command, Type: procedural, Importance: 0.8, Confidence: 0.75,
		Content: "`" + f.line + "` fails here" + why + "; `" + w.line + "` works.", Turns: []string{f.id, w.id},
	}
	if l.bad {
		c.Importance = 0.9
	}
	return c
}
