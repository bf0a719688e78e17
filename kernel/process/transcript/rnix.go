package transcript

import (
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"strings"
	"time"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// rnix reads the step logs of rnix: <dir>/<uuid>/steps.jsonl, a step a line.
type rnix struct{}

// rnixStep is a line. Each holds the whole prompt again, of which only the new part
// is read.
type rnixStep struct {
	Step      *int64          `json:"step"`
	Timestamp json.RawMessage `json:"timestamp"`
	Action    string          `json:"action"`
	Summary   string          `json:"summary"`
	Messages  json.RawMessage `json:"messages"`
	Response  string          `json:"raw_response"`
	Tool      json.RawMessage `json:"tool"`

	ToolPath   string          `json:"tool_path"`
	ToolName   string          `json:"tool_name"`
	ToolInput  json.RawMessage `json:"tool_input"`
	ToolResult json.RawMessage `json:"tool_result"`
	ToolError  string          `json:"tool_error"`
}

type rnixTool struct {
	Name   string          `json:"name"`
	Path   string          `json:"path"`
	Input  json.RawMessage `json:"input"`
	Result json.RawMessage `json:"result"`
	Error  string          `json:"error"`
}

func (rnix) Name() string { return "rnix" }

// Detect wants a first line with a step's number and an action or a summary.
func (rnix) Detect(path string, head []byte) bool {
	keys := headKeys(head)
	_, action := keys["action"]
	_, summary := keys["summary"]
	step, ok := keys["step"]
	var n float64
	number := ok && json.Unmarshal(step, &n) == nil
	return number && (action || summary) || ok && filepath.Base(path) == "steps.jsonl" && (number || step == nil)
}

// Find knows no place: where the logs lie is the caller's choice.
func (rnix) Find(string, func(string) string) ([]string, error) { return nil, nil }

// Read takes a step for a turn of a tool or of the agent, and what a user says in
// its prompt for turns of the user.
func (rnix) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		external := filepath.Base(filepath.Dir(path))
		if !uuidName.MatchString(external) || filepath.Base(path) != "steps.jsonl" {
			external = placeName(path)
		}
		w.begin(process.Conversation{Agent: "rnix", External: external})
		heard := 0 // messages of users
		return lines(ctx, w, path, func(l line, s *rnixStep) bool {
			if s.Action == "" && s.Summary == "" && s.Step == nil {
				w.skipped.unknown("record", "")
				return true
			}
			return s.users(w, &heard) && w.add(s.turn(ordinal(external+"-step", l.n)))
		})
	})
}

// users adds the messages of users that were not in the prompts before.
func (s *rnixStep) users(w *writer, heard *int) bool {
	var messages []struct {
		Role    string          `json:"role"`
		Content json.RawMessage `json:"content"`
	}
	if len(s.Messages) == 0 || decode(s.Messages, &messages) != nil {
		return true
	}
	n := 0
	for _, m := range messages {
		if m.Role != "user" {
			continue
		}
		text := userText(texts(m.Content))
		if n++; n <= *heard || text == "" {
			continue
		}
		if !w.add(process.Turn{ID: ordinal(w.proc.External+"-user", n), Role: process.RoleUser, Content: said(text)}) {
			return false
		}
	}
	*heard = max(*heard, n)
	return true
}

// time is when the step was made. A number counts from the start of the process,
// which is not in the file.
func (s *rnixStep) time() time.Time { return instant(plain(s.Timestamp)) }

func (s *rnixStep) turn(id string) process.Turn {
	tool := rnixTool{s.ToolName, s.ToolPath, s.ToolInput, s.ToolResult, s.ToolError}
	if isObject(s.Tool) {
		_ = decode(s.Tool, &tool) // what can't be read stays empty
	} else if name := plain(s.Tool); name != "" {
		tool.Path = name
	}
	name := cmp.Or(tool.Path, tool.Name)
	t := process.Turn{ID: id, Time: s.time()}
	if name == "" && s.Action != "tool_call" {
		t.Role, t.Content = process.RoleAssistant, said(cmp.Or(s.Summary, s.Response))
		return t
	}
	name = cmp.Or(name, "tool")
	t.Role, t.Tool, t.Failed = process.RoleTool, name, tool.Error != ""
	result := strings.TrimSpace(s.Summary + "\n" + plain(tool.Result) + "\n" + tool.Error)
	t.Content = called(name, arguments(tool.Input), result)
	return t
}
