package vfs

import (
	"slices"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/process"
)

// processRequest is the contract of the process device.
type processRequest struct {
	Action  string `json:"action"`
	UUID    string `json:"uuid,omitempty"`
	Session string `json:"session,omitempty"`  // the agent's own id of the conversation
	Extern  string `json:"external,omitempty"` // the same
	Agent   string `json:"agent,omitempty"`
	Title   string `json:"title,omitempty"`
	Model   string `json:"model,omitempty"`
	Branch  string `json:"branch,omitempty"`
	Parent  string `json:"parent,omitempty"` // uuid
	Project string `json:"project,omitempty"`

	turnRequest
	Turns *[]turnRequest `json:"turns,omitempty"`

	ExitCode *int   `json:"exit_code,omitempty"`
	Reason   string `json:"reason,omitempty"`
}

// turnRequest is one turn as it is handed in.
type turnRequest struct {
	ID      string  `json:"id,omitempty"`
	Role    string  `json:"role,omitempty"`
	Content *string `json:"content,omitempty"`
	Time    string  `json:"time,omitempty"` // RFC 3339
	Tool    string  `json:"tool,omitempty"`
	Failed  bool    `json:"failed,omitempty"`
}

// processCommon are the fields that every action takes.
var processCommon = []string{"action", "uuid", "session", "external", "agent", "project"}

// processActions lists what each action of the process device takes besides
// those.
var processActions = map[string][]string{
	"start":  {"title", "model", "branch", "parent"},
	"turn":   {"id", "role", "content", "time", "tool", "failed"},
	"turns":  {"turns"},
	"end":    {"exit_code", "reason"},
	"get":    {},
	"status": {},
}

// check refuses fields that the action can't use, and joins the two words for a
// session.
func (r *processRequest) check() error {
	allowed, ok := processActions[r.Action]
	switch {
	case r.Action == "":
		return memory.Errorf(memory.KindInvalid, "decode request", "action is required: one of start, turn, turns, end, get")
	case !ok:
		return memory.Errorf(memory.KindInvalid, "decode request", "unknown action: %s; the actions are start, turn, turns, end, get", memory.QuoteName(r.Action))
	}
	if err := memory.CheckFields(r.Action, r, slices.Concat(processCommon, allowed)); err != nil {
		return err
	}
	if r.Session != "" && r.Extern != "" && r.Session != r.Extern {
		return memory.Errorf(memory.KindInvalid, r.Action, "session and external are two words for one thing; give one")
	}
	if r.Session == "" {
		r.Session = r.Extern
	}
	if r.UUID != "" && r.Session != "" && r.Action != "start" {
		return memory.Errorf(memory.KindInvalid, r.Action, "name the conversation by uuid or by session, not by both")
	}
	return nil
}

// turns are the turns that a request brings. One without a time was said now.
func (r *processRequest) turns(now time.Time) ([]process.Turn, error) {
	if r.Action == "turn" {
		t, err := r.turnRequest.turn(now)
		if err != nil {
			return nil, memory.Errorf(memory.KindInvalid, r.Action, "%s", memory.ReasonOf(err))
		}
		return []process.Turn{t}, nil
	}
	if r.Turns == nil || len(*r.Turns) == 0 {
		return nil, memory.Errorf(memory.KindInvalid, r.Action, "turns is empty")
	}
	out := make([]process.Turn, len(*r.Turns))
	for i, in := range *r.Turns {
		t, err := in.turn(now)
		if err != nil {
			return nil, memory.Errorf(memory.KindInvalid, r.Action, "turns[%d]: %s", i, memory.ReasonOf(err))
		}
		out[i] = t
	}
	return out, nil
}

func (r *turnRequest) turn(now time.Time) (process.Turn, error) {
	t := process.Turn{ID: r.ID, Role: process.Role(strings.ToLower(r.Role)), Time: now, Tool: r.Tool, Failed: r.Failed}
	if !t.Role.Valid() {
		return t, memory.Errorf(memory.KindInvalid, "turn", `role must be "user", "assistant", "tool" or "system"`)
	}
	if r.Content == nil {
		return t, memory.Errorf(memory.KindInvalid, "turn", "content is required")
	}
	t.Content = *r.Content
	if r.Time != "" {
		at, err := time.Parse(time.RFC3339, r.Time)
		if err != nil {
			return t, memory.Errorf(memory.KindInvalid, "turn", `time must be like "2027-01-31T12:00:00Z"`)
		}
		t.Time = at
	}
	return t, nil
}
