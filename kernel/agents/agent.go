package agents

import (
	"path/filepath"
	"strings"
)

// Agent describes an agent with hooks.
type Agent struct {
	// Name is as process.Process has it: claude, codex, gemini.
	Name string
	// Note tells the user's own step after an installation, or is "".
	Note string
	// ProjectEnv is the variable that tells a hook where the session began, or "".
	ProjectEnv string
	// Sandboxed: its commands run where a mount may be hidden, or read-only, unless the user
	// has switched that off.
	Sandboxed bool
	// Learn is the command of the agent that takes a question on its standard input.
	Learn []string

	events   map[string]Kind
	install  []string // the events that are installed, in the order of a session
	prompt   string   // the event before a prompt is worked on, installed when asked for
	homeEnv  string   // names the folder that dir is put below, or replaces
	homeIs   bool     // whether homeEnv names the folder itself
	dir      string   // the folder of the settings, below the home or the project
	file     string   // the file in it that holds hooks
	memo     string   // the file of a project's instructions
	millis   bool     // timeouts are in milliseconds, not seconds
	named    bool     // a hook has a name
	comments bool     // the agent itself reads comments in its settings
	always   bool     // the agent wants JSON also when there is nothing to say
}

// Kind is what an event is to memory.
type Kind int

// The kinds of events.
const (
	KindNone     Kind = iota // none of ours
	KindStart                // a session begins, or begins anew: memory is shown
	KindPrompt               // the user has asked something
	KindHandOver             // a turn or a session has ended: the transcript is handed over
)

// table is all agents with hooks. Sources: code.claude.com/docs/en/hooks;
// openai/codex, codex-rs/hooks/schema/generated and codex-rs/config/src/hook_config.rs;
// google-gemini/gemini-cli, docs/hooks/reference.md.
var table = []*Agent{
	{
		Name: "claude", Learn: []string{"claude", "-p"},
		events: map[string]Kind{
			"SessionStart": KindStart, "UserPromptSubmit": KindPrompt,
			"Stop": KindHandOver, "SubagentStop": KindHandOver, "PreCompact": KindHandOver, "SessionEnd": KindHandOver,
		},
		install: []string{"SessionStart", "Stop", "SubagentStop", "PreCompact", "SessionEnd"},
		prompt:  "UserPromptSubmit",
		homeEnv: "CLAUDE_CONFIG_DIR", homeIs: true, dir: ".claude", file: "settings.json", memo: "CLAUDE.md",
		ProjectEnv: "CLAUDE_PROJECT_DIR",
	},
	{
		Name: "codex", Learn: []string{"codex", "exec", "-"},
		Sandboxed: true, // openai/codex, codex-rs/linux-sandbox
		Note:      "Codex runs a new hook only after you have reviewed it: enter /hooks in Codex.",
		// Codex has no event at a session's end: Stop comes after every turn.
		events: map[string]Kind{
			"SessionStart": KindStart, "UserPromptSubmit": KindPrompt,
			"Stop": KindHandOver, "SubagentStop": KindHandOver, "PreCompact": KindHandOver,
		},
		install: []string{"SessionStart", "Stop", "SubagentStop", "PreCompact"},
		prompt:  "UserPromptSubmit",
		homeEnv: "CODEX_HOME", homeIs: true, dir: ".codex", file: "hooks.json", memo: "AGENTS.md",
	},
	{
		Name: "gemini", Learn: []string{"gemini", "-p", ""},
		events: map[string]Kind{
			"SessionStart": KindStart, "BeforeAgent": KindPrompt,
			"AfterAgent": KindHandOver, "PreCompress": KindHandOver, "SessionEnd": KindHandOver,
		},
		install: []string{"SessionStart", "AfterAgent", "PreCompress", "SessionEnd"},
		prompt:  "BeforeAgent",
		homeEnv: "GEMINI_CLI_HOME", dir: ".gemini", file: "settings.json", memo: "GEMINI.md",
		millis: true, named: true, comments: true, always: true,
		ProjectEnv: "GEMINI_PROJECT_DIR",
	},
}

// Names returns the names of the agents with hooks.
func Names() []string {
	names := make([]string, len(table))
	for i, a := range table {
		names[i] = a.Name
	}
	return names
}

// ByName returns the agent with the name, or nil.
func ByName(name string) *Agent {
	for _, a := range table {
		if a.Name == name {
			return a
		}
	}
	return nil
}

// Kind returns what the event is to memory.
func (a *Agent) Kind(event string) Kind { return a.events[event] }

// Settings returns the path of the file that holds the user's hooks of this
// agent; with a project, that project's.
func (a *Agent) Settings(getenv func(string) string, home, project string) string {
	switch at := getenv(a.homeEnv); {
	case project != "":
		return filepath.Join(project, a.dir, a.file)
	case filepath.IsAbs(at) && a.homeIs:
		return filepath.Join(at, a.file)
	case filepath.IsAbs(at):
		return filepath.Join(at, a.dir, a.file)
	}
	return filepath.Join(home, a.dir, a.file)
}

// kinds are the agents whose histories can be found by the name of their program,
// with and without hooks.
var kinds = []string{"claude", "codex", "gemini", "opencode", "aider"}

// Kinds returns the agents whose histories are known.
func Kinds() []string { return kinds }

// OfCommand returns the agent that a program is, by its name, or "".
func OfCommand(path string) string {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	for _, k := range kinds {
		if base == k {
			return k
		}
	}
	return ""
}
