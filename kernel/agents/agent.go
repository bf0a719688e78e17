package agents

import (
	"path/filepath"
	"slices"
	"strings"
)

// Agent describes an agent with hooks.
type Agent struct {
	// Name is as process.Process has it: claude, codex, gemini, antigravity.
	Name string
	// Note tells the user's own step after an installation, or is "".
	Note string
	// ProjectEnv is the variable that tells a hook where the session began, or "".
	ProjectEnv string
	// Confined: its commands run in a sandbox, unless the user has switched that off.
	Confined bool
	// Learn is the command of the agent that takes a question on its standard input.
	Learn []string

	events   map[string]Kind
	install  []string // the events that are installed, in the order of a session
	prompt   string   // the event before a prompt is worked on, installed when asked for
	hooks    place    // the file that holds hooks
	mcp      place    // the file that holds MCP servers
	servers  string   // the key of those
	typed    bool     // the entry of a server names its type
	sandbox  place    // the file that says what commands in the agent's sandbox may write
	writable []string // the keys of that list
	memo     string   // the file of a project's instructions
	millis   bool     // timeouts are in milliseconds, not seconds
	named    bool     // a hook has a name
	bare     bool     // hooks stand in a set of a name of ours, without groups; an event does not say which it is
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

// table is all agents with hooks, and clients of MCP without. Sources:
// code.claude.com/docs/en/hooks, mcp and sandboxing; openai/codex,
// codex-rs/hooks/schema/generated and codex-rs/config/src/hook_config.rs, and
// developers.openai.com/codex/config-reference; google-gemini/gemini-cli,
// docs/hooks/reference.md and docs/tools/mcp-server.md; cursor.com/docs/context/mcp;
// code.visualstudio.com/docs/copilot/reference/mcp-configuration.
var table = []*Agent{
	{
		Name: "claude", Learn: []string{"claude", "-p"},
		events: map[string]Kind{
			"SessionStart": KindStart, "UserPromptSubmit": KindPrompt,
			"Stop": KindHandOver, "SubagentStop": KindHandOver, "PreCompact": KindHandOver, "SessionEnd": KindHandOver,
		},
		install: []string{"SessionStart", "Stop", "SubagentStop", "PreCompact", "SessionEnd"},
		prompt:  "UserPromptSubmit",
		hooks:   place{".claude/settings.json", ".claude/settings.json", "CLAUDE_CONFIG_DIR", ".claude"},
		mcp:     place{".claude.json", ".mcp.json", "CLAUDE_CONFIG_DIR", ""}, servers: "mcpServers",
		sandbox:  place{".claude/settings.json", ".claude/settings.json", "CLAUDE_CONFIG_DIR", ".claude"},
		writable: []string{"sandbox", "filesystem", "allowWrite"}, memo: "CLAUDE.md",
		ProjectEnv: "CLAUDE_PROJECT_DIR",
	},
	{
		Name: "codex", Learn: []string{"codex", "exec", "-"},
		Confined: true, // openai/codex, codex-rs/linux-sandbox
		Note:     "Codex runs a new hook only after you have reviewed it: enter /hooks in Codex.",
		// Codex has no event at a session's end: Stop comes after every turn.
		events: map[string]Kind{
			"SessionStart": KindStart, "UserPromptSubmit": KindPrompt,
			"Stop": KindHandOver, "SubagentStop": KindHandOver, "PreCompact": KindHandOver,
		},
		install: []string{"SessionStart", "Stop", "SubagentStop", "PreCompact"},
		prompt:  "UserPromptSubmit",
		hooks:   place{".codex/hooks.json", ".codex/hooks.json", "CODEX_HOME", ".codex"},
		mcp:     place{".codex/config.toml", ".codex/config.toml", "CODEX_HOME", ".codex"}, servers: "mcp_servers",
		sandbox:  place{".codex/config.toml", ".codex/config.toml", "CODEX_HOME", ".codex"},
		writable: []string{"sandbox_workspace_write", "writable_roots"}, memo: "AGENTS.md",
	},
	{
		Name: "gemini", Learn: []string{"gemini", "-p", ""},
		events: map[string]Kind{
			"SessionStart": KindStart, "BeforeAgent": KindPrompt,
			"AfterAgent": KindHandOver, "PreCompress": KindHandOver, "SessionEnd": KindHandOver,
		},
		install: []string{"SessionStart", "AfterAgent", "PreCompress", "SessionEnd"},
		prompt:  "BeforeAgent",
		hooks:   place{".gemini/settings.json", ".gemini/settings.json", "GEMINI_CLI_HOME", ""},
		mcp:     place{".gemini/settings.json", ".gemini/settings.json", "GEMINI_CLI_HOME", ""}, servers: "mcpServers", memo: "GEMINI.md",
		millis: true, named: true, comments: true, always: true,
		ProjectEnv: "GEMINI_PROJECT_DIR",
	},
	{
		// Sources: antigravity.google/docs/hooks and /docs/mcp, and what agy ships as
		// builtin/skills/agy-customizations/docs/hooks.md. PreToolUse is left alone: an
		// answer without a decision denies the tool. A session's start has no event.
		Name:   "antigravity",
		events: map[string]Kind{"PreInvocation": KindStart, "Stop": KindHandOver}, install: []string{"PreInvocation", "Stop"},
		hooks: place{".gemini/config/hooks.json", ".agents/hooks.json", "", ""},
		mcp:   place{".gemini/config/mcp_config.json", ".agents/mcp_config.json", "", ""}, servers: "mcpServers", memo: "AGENTS.md",
		bare: true, always: true,
	},
	{
		Name: "cursor",
		mcp:  place{".cursor/mcp.json", ".cursor/mcp.json", "", ""}, servers: "mcpServers", memo: "AGENTS.md",
	},
	{
		Name: "vscode",
		mcp:  place{".config/Code/User/mcp.json", ".vscode/mcp.json", "XDG_CONFIG_HOME", ".config"}, servers: "servers", typed: true, memo: "AGENTS.md",
	},
}

// Names returns the names of all agents, or of those with hooks.
func Names(hooks bool) (names []string) {
	for _, a := range table {
		if !hooks || a.Hooked() {
			names = append(names, a.Name)
		}
	}
	return names
}

// Hooked reports whether the agent has hooks.
func (a *Agent) Hooked() bool { return len(a.install) > 0 }

// Recalls reports whether a hook is told the prompt, to search memory for it.
func (a *Agent) Recalls() bool { return a.prompt != "" }

// Sandboxed reports whether the agent has a sandbox that can be told what to leave writable.
func (a *Agent) Sandboxed() bool { return len(a.writable) > 0 }

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

// kinds are the agents whose histories can be found by the name of their program,
// with and without hooks.
var kinds = []string{"claude", "codex", "gemini", "antigravity", "opencode", "aider"}

// Kinds returns the agents whose histories are known.
func Kinds() []string { return kinds }

// OfCommand returns the agent that a program is, by its name, or "".
func OfCommand(path string) string {
	base := filepath.Base(path)
	base = strings.TrimSuffix(base, filepath.Ext(base))
	if base == "agy" {
		return "antigravity"
	}
	if slices.Contains(kinds, base) {
		return base
	}
	return ""
}
