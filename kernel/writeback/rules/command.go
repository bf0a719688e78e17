package rules

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// maxOutput is how many bytes of an answer are looked at, head and tail.
const maxOutput = 4 << 10

// notFound is the reason for which another program may stand for the one that failed.
const notFound = "command not found"

// causes are the reasons of failures that have a name. What a tool answered never
// becomes part of a memory: anybody may have written it.
var causes = []struct {
	sign *pattern
	why  string
}{
	{lazily(`(?i)command not found|not recognized as an internal|: not found\b|executable file not found`), notFound},
	{lazily(`(?i)externally[- ]managed`), "externally managed environment"},
	{lazily(`(?i)ModuleNotFoundError|No module named|Cannot find (?:module|package)|cannot find package|ImportError`), "module not found"},
	{lazily(`(?i)unknown (?:flag|option|argument)|unrecognized (?:option|argument)|invalid option|no such option|illegal option|unexpected argument`), "unknown option"},
	{lazily(`(?i)unknown command|no such (?:sub)?command|invalid choice|Missing script|is not a \w+ command|No rule to make target|unknown script`), "unknown subcommand"},
	{lazily(`(?i)permission denied|EACCES|operation not permitted|access denied|requires? root`), "permission denied"},
	{lazily(`(?i)version (?:mismatch|conflict)|unsupported (?:version|engine)|requires (?:node|python|go)\b`), "wrong version"},
}

// failures are how an answer begins or ends that tells of a failure where no flag
// does.
var failures = lazily(`(?im)^(?:[\w./-]+: )*(?:error|fatal|failed|usage|traceback \(most recent call last\)|npm err!|command not found|execution timed out|exit code:? [1-9]\d*|panic)\b|: command not found|not recognized as an internal|no such file or directory|(?:No module named|Cannot find module) |permission denied|externally-managed-environment|unknown (?:command|flag|option)|: not found$|\(exit (?:code|status) [1-9]\d*\)`)

var (
	// programs and services that have a name of their own.
	programs = words(`ansible bun bundle cargo clang cmake composer conda deno docker docker-compose eslint flyway gcc git go gradle helm jest jq just kubectl make maven memcached mocha mongodb mvn mypy mysql ninja node npm npx nox pip pip3 pipenv pipx playwright pnpm podman poetry postgres postgresql prettier pytest python python3 rails rake redis rspec ruby ruff rustc sqlite task terraform tox tsx uv valkey vite vitest webpack yarn`)
	// looking are the programs that only look: a failure of theirs teaches nothing, and
	// between two commands they change nothing.
	looking = words(`cat ls cd find grep rg head tail awk echo pwd view wc which type file stat tree less more diff true false test sleep ps source printf whoami date du df env history man sort uniq`)
	// reading are the tools that change nothing.
	reading = lazily(`(?i)^(?:read|grep|glob|ls|search|find|list|view|fetch|web|todo|think|task|open)`)
)

// lessons finds commands that failed and the form that then worked: of the same
// program, in the same directory, with nothing done in between.
type lessons struct {
	failed []attempt // since something worked or was changed, oldest first
	bad    bool      // the run failed
}

// attempt is a command that failed.
type attempt struct {
	call
	turn, why string
}

// forget drops what failed: something else may have been changed since.
func (l *lessons) forget() { l.failed = nil }

// take reads a turn of a tool. It teaches where it is the form that works.
func (l *lessons) take(t process.Turn) (c Candidate, ok bool) {
	run, ok := readCall(t)
	name, _, _ := strings.Cut(t.Content, "(")
	switch writes := strings.ContainsAny(run.line, "<>;&"); {
	case !ok && (reading.MatchString(t.Tool) || reading.MatchString(name)), ok && looking[programOf(run.line)] && !writes:
		return c, false
	case !ok || writes || strings.Contains(run.line, "`") || len([]rune(run.line)) > maxCommand:
		l.forget()
		return c, false
	}
	if failed, why := outcome(run); failed {
		l.failed = append(l.failed, attempt{run, t.ID, why})
		return c, false
	}
	defer l.forget()
	for _, a := range slices.Backward(l.failed) {
		if a.line == run.line {
			break // something else was mended
		}
		if a.mendedBy(run) {
			return l.lesson(a, run, t.ID), true
		}
	}
	return c, false
}

// outcome says whether a command failed, and why where that has a name.
func outcome(c call) (failed bool, why string) {
	answer := c.answer
	if len(answer) > maxOutput {
		answer = answer[:maxOutput/2] + "\n" + answer[len(answer)-maxOutput/2:]
	}
	if !c.failed && !failures.MatchString(answer) {
		return false, ""
	}
	for _, c := range causes {
		if c.sign.MatchString(answer) {
			return true, c.why
		}
	}
	return true, ""
}

// mendedBy says whether a command is the mended form of one that failed: the same
// program with another subcommand or option, or one that has the place of a program
// that was not found. Without a reason that has a name, the tests failed or the
// compilation, and another target is another end.
func (a attempt) mendedBy(c call) bool {
	if a.why == "" || a.dir != c.dir {
		return false
	}
	was, is := strings.Fields(a.line), strings.Fields(c.line)
	old, now := programOf(a.line), programOf(c.line)
	if a.why == notFound {
		return replaces(old, is) && len(lacking(was[1:], is)) == 0
	}
	if old != now {
		return false
	}
	gone, added := lacking(was, is), lacking(is, was)
	return 2*(len(was)-len(gone)) >= len(was) && slices.ContainsFunc(slices.Concat(gone, added), plainArgument)
}

// replaces says whether a word of a command names a program by a name like the old
// one: python3, pnpm, docker for docker-compose.
func replaces(old string, words []string) bool {
	return slices.ContainsFunc(words[:min(2, len(words))], func(w string) bool {
		w = w[strings.LastIndexByte(w, '/')+1:]
		return w != "" && (strings.Contains(w, old) || strings.HasPrefix(old, w+"-"))
	})
}

// lacking are the words of a that b has not.
func lacking(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}

// plainArgument says whether a word of a command is a subcommand or an option rather
// than a path, a number or a text.
func plainArgument(w string) bool {
	return strings.HasPrefix(w, "-") && len(w) > 1 || argumentWord.MatchString(w)
}

var argumentWord = lazily(`^[A-Za-z][\w:-]*$`)

func (l *lessons) lesson(a attempt, c call, turn string) Candidate {
	importance := 0.8
	if l.bad {
		importance = 0.9
	}
	return Candidate{
		Target: memory.ScopeProject, Category: Command, Type: procedural, Importance: importance,
		Content: "`" + a.line + "` fails here (" + a.why + "); `" + c.line + "` works.", Turns: []string{a.turn, turn},
	}
}
