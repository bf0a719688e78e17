package process

import (
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// Role is who speaks in a turn.
type Role string

// The roles. What another tool calls differently is brought to these.
const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"   // what a tool was asked and answered
	RoleSystem    Role = "system" // notes of the agent's program, summaries of compacted turns
)

// Valid reports whether r is one of the roles.
func (r Role) Valid() bool {
	return r == RoleUser || r == RoleAssistant || r == RoleTool || r == RoleSystem
}

// Turn is one thing said, as it is kept on a line of turns.jsonl. Turns are never
// changed.
type Turn struct {
	// ID is unique in its conversation and the same each time the turn is handed in:
	// a turn whose id is there already is not kept again.
	ID      string    `json:"id"`
	Role    Role      `json:"role"`
	Content string    `json:"content"`
	Time    time.Time `json:"time,omitzero"` // UTC
	// Tool is the name of the tool, in a turn of RoleTool.
	Tool string `json:"tool,omitempty"`
	// Failed says that the tool reported a failure.
	Failed bool `json:"failed,omitempty"`

	// Ordinal says, of a turn without an ID, which of the equal ones of its
	// conversation it is, from 1; 0 leaves it to [Store.Append], which counts
	// within one call. See [Ordinals].
	Ordinal int `json:"-"`
}

// Conversation is one run of an agent, as process.json keeps it.
type Conversation struct {
	UUID string `json:"uuid"`
	// Project is the root of the project it ran in, an absolute clean path, or ""
	// for the user's home project.
	Project string `json:"project"`
	UID     uint32 `json:"uid"`
	// Agent is the program: claude, codex, gemini, antigravity, opencode, aider, ...;
	// "" when unknown.
	Agent string `json:"agent,omitempty"`
	// External is the agent's own id of the conversation. The same Agent and
	// External name the same conversation.
	External string       `json:"external,omitempty"`
	Parent   string       `json:"parent,omitempty"` // uuid of the conversation that started this one
	Title    string       `json:"title,omitempty"`
	Branch   string       `json:"branch,omitempty"` // of the version control, at the start
	Model    string       `json:"model,omitempty"`
	Trust    memory.Trust `json:"trust,omitempty"` // by which road it came
	Start    time.Time    `json:"start,omitzero"`  // UTC
	End      time.Time    `json:"end,omitzero"`    // UTC; zero while it runs
	// ExitCode is nil while it runs, or when nobody knows.
	ExitCode   *int   `json:"exit_code,omitempty"`
	ExitReason string `json:"exit_reason,omitempty"`
}

// Transcript is a conversation with its turns, as a reader of another tool's history
// hands it over.
type Transcript struct {
	Conversation
	Turns []Turn
}

// utc brings a time to the form that is kept, and one that JSON can't hold (RFC
// 3339 has four digits for the year) to none.
func utc(t time.Time) time.Time {
	t = t.UTC().Round(0)
	if y := t.Year(); y < 1 || y > 9999 {
		return time.Time{}
	}
	return t
}
