package rules

import (
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// maxOutput is how many bytes of an answer are looked at, head and tail.
const maxOutput = 4 << 10

// lessons finds commands that failed and the form that then worked: of the same
// program, in the same directory, with nothing done in between. What failed is since
// something worked or was changed, oldest first.
type lessons struct{ failed []attempt }

// attempt is a command that failed.
type attempt struct {
	call
	turn, why string
}

// take reads a turn of a tool. It teaches where it is the form that works.
func (l *lessons) take(t process.Turn) (c Candidate, ok bool) {
	run := readCall(t)
	name, _, _ := strings.Cut(t.Content, "(")
	switch writes := strings.ContainsAny(ask("literal").drop(run.line), "<>;&"); {
	case run.line == "" && (ask("reading").of(t.Tool) || ask("reading").of(name)), ask("looking").of(programOf(run.line)) && !writes:
		return c, false
	case run.line == "" || writes || strings.Contains(run.line, "`") || len([]rune(run.line)) > maxCommand:
		l.failed = nil // something else may have been changed
		return c, false
	}
	if failed, why := outcome(run); failed {
		l.failed = append(l.failed, attempt{run, t.ID, why})
		return c, false
	}
	failed := l.failed
	l.failed = nil
	for _, a := range slices.Backward(failed) {
		if a.line == run.line {
			break // something else was mended
		}
		if a.mendedBy(run) {
			return Candidate{
				Target: memory.ScopeProject, Category: Command, Type: "procedural", Importance: 0.8, Turns: []string{a.turn, t.ID},
				Content: "`" + a.line + "` fails here (" + a.why + "); `" + run.line + "` works.",
			}, true
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
	failed = c.failed || ask("failure").of(answer)
	i := slices.IndexFunc(data().causes, func(cause *row) bool { return cause.of(answer) })
	if failed && i >= 0 {
		why = data().causes[i].name
	}
	return failed, why
}

// mendedBy says whether a command is the mended form of one that failed: the same
// program with another subcommand or option, or one of a similar name (python3, pnpm,
// docker for docker-compose) that has the place of a program that was not found.
// Without a reason that has a name, the tests failed or the compilation, and another
// target is another end.
func (a attempt) mendedBy(c call) bool {
	if a.why == "" || a.dir != c.dir {
		return false
	}
	was, is := strings.Fields(a.line), strings.Fields(c.line)
	gone, added := lacking(was, is), lacking(is, was)
	old := programOf(a.line)
	if a.why == "command not found" {
		return len(lacking(was[1:], is)) == 0 && slices.ContainsFunc(is[:min(2, len(is))], func(w string) bool {
			w = w[strings.LastIndexByte(w, '/')+1:]
			return w != "" && (strings.Contains(w, old) || strings.HasPrefix(old, w+"-"))
		})
	}
	return old == programOf(c.line) && 2*(len(was)-len(gone)) >= len(was) && slices.ContainsFunc(slices.Concat(gone, added), ask("argument").of)
}

// lacking are the words of a that b has not.
func lacking(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(w string) bool { return slices.Contains(b, w) })
}
