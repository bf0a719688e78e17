package rules_test

import (
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
	"github.com/rnixfs/rnixfs/kernel/writeback/rules"
)

// talk makes a conversation of lines that begin with who speaks: "u ", "a ", "t "
// a tool, "x " a tool that failed.
func talk(lines ...string) process.Transcript {
	c := process.Transcript{}
	for n, line := range lines {
		t := process.Turn{ID: "t" + string(rune('a'+n%26)), Role: process.RoleUser, Content: line[2:]}
		switch line[0] {
		case 'a':
			t.Role = process.RoleAssistant
		case 't', 'x':
			t.Role, t.Failed = process.RoleTool, line[0] == 'x'
			t.Tool, _, _ = strings.Cut(t.Content, "(")
		}
		c.Turns = append(c.Turns, t)
	}
	return c
}

// worked is a talk about work, in which the agent has spoken and the user answers.
func worked(said string) process.Transcript {
	return talk("u have a look at the failing build", "a I looked at it.", "t Read(build.log)\nok", "u "+said)
}

type row struct {
	said     string
	category rules.Category // "" when nothing is worth it
	want     string         // the content
}

// check gives each row's words to the rules, as those of a person at work.
func check(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		checkOne(t, r, rules.Extract(worked(r.said)))
	}
}

func checkOne(t *testing.T, r row, got []rules.Candidate) {
	t.Helper()
	switch {
	case r.category == "" && len(got) > 0:
		t.Errorf("%q: got %s %q, want nothing", r.said, got[0].Category, got[0].Content)
	case r.category == "":
	case len(got) != 1:
		t.Errorf("%q: got %d candidates, want 1: %v", r.said, len(got), got)
	case got[0].Category != r.category || got[0].Content != r.want:
		t.Errorf("%q: got %s %q, want %s %q", r.said, got[0].Category, got[0].Content, r.category, r.want)
	}
}

// TestAsked: what a person asks to be remembered is marked so, and goes where it
// holds.
func TestAsked(t *testing.T) {
	got := rules.Extract(worked("Remember that the beta flag is off in production."))
	if len(got) != 1 || !got[0].Asked {
		t.Errorf("an explicit request is not marked as asked: %v", got)
	}
	got = rules.Extract(worked("Remember that in all my projects commits are signed."))
	if len(got) != 1 || got[0].Target != memory.ScopeGlobal {
		t.Errorf("a request about all projects went elsewhere: %v", got)
	}
	got = rules.Extract(worked("never use grep on JSON, use jq. record this as a global rule"))
	if len(got) != 1 || got[0].Target != memory.ScopeGlobal {
		t.Errorf("an instruction for all projects went elsewhere: %v", got)
	}
}

// TestLeft are those that need more than rules: who the user is, what was decided,
// how things are done, a reproach.
func TestLeft(t *testing.T) {
	check(t, []row{
		{said: "I'm a backend engineer in Lisbon."},
		{said: "I just merged the pull request."},
		{said: "Last week I adopted a puppy from a shelter in Porto."},
		{said: "We decided to keep SQLite because the tool must run without a server."},
		{said: "This repo uses conventional commits."},
		{said: "The tests are failing."},
		{said: "why are you editing files in the main checkout, not the worktree?"},
		{said: "I want to see all projects on this screen."},
		{said: "I'd like to support LinuxCNC as well."},
		{said: "NOTE: always use tabs\nIMPORTANT: never push"},
		{said: "## Rules\n\nAlways use tabs."},
		{said: "You are a careful engineer. Always use tabs."},
		{said: "> always use tabs"},
		{said: "```\nalways use tabs\n```"},
		{said: "\"Always use tabs\" is what the old guide wanted."},
	})
	yes := talk("u how do we store the queue?", "a Should we use an append-only file instead of a database?", "u yes, sounds good")
	checkOne(t, row{said: "an accepted proposal"}, rules.Extract(yes))
	end := talk("u what did you find?", "t Read(x)\ny", "a The project uses `just` for its tasks.")
	checkOne(t, row{said: "what the agent found"}, rules.Extract(end))
}

// TestQuoted: the words stay as they were said, code and paths above all.
func TestQuoted(t *testing.T) {
	check(t, []row{
		{"Never touch ./apps/my-account-web/ without asking me.", rules.Instruction, "Never touch ./apps/my-account-web/ without asking me."},
		{"Always check `pytest.__version__` and **never** _guess_ the version.", rules.Instruction, "Always check `pytest.__version__` and **never** _guess_ the version."},
		{"Remember that npm is not installed in our image.", rules.Request, "npm is not installed in our image."},
		{"don't use spring.jpa.hibernate.ddl-auto=update", rules.Instruction, "Don't use spring.jpa.hibernate.ddl-auto=update."},
		{"DON'T match versions of the example.", rules.Instruction, "DON'T match versions of the example."},
		{"In health endpoint, do NOT return sqlite:// ever.", rules.Instruction, "In health endpoint, do NOT return sqlite:// ever."},
		{"use `@clack/prompts` instead of bun-promptx", rules.Correction, "Use `@clack/prompts` instead of bun-promptx."},
	})
}

func TestTargets(t *testing.T) {
	for said, want := range map[string]memory.Scope{
		"Always run the linter.":                 memory.ScopeProject,
		"Always run the linter in all projects.": memory.ScopeGlobal,
		"I prefer small commits.":                memory.ScopeUser,
		"From now on, answer in French.":         memory.ScopeUser,
	} {
		got := rules.Extract(worked(said))
		if len(got) != 1 || got[0].Target != want {
			t.Errorf("%q: got %v, want %s", said, got, want)
		}
	}
}

func TestLongTask(t *testing.T) {
	var b strings.Builder
	b.WriteString("We're solving the following issue.\n\nINSTRUCTIONS:\nRemember, YOU CAN ONLY ENTER ONE COMMAND AT A TIME. You should always wait for feedback.\n\nIMPORTANT TIPS:\n")
	for range 20 {
		b.WriteString("- Always start by trying to replicate the bug in `parser.py`. Never skip the tests.\n")
	}
	c := talk("u "+b.String(), "a ok")
	if got := rules.Extract(c); len(got) != 0 {
		t.Errorf("a template of a prompt teaches: %v", got)
	}
}
