package transcript

import (
	"context"
	"encoding/json"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// antigravity reads the steps of Google's Antigravity, in the command line and the
// editor: JSONL whose path its hooks name (antigravity.google/docs/hooks). The fields
// are not documented; agy 1.0.13 to 1.2.7 write these.
type antigravity struct{}

type antigravityStep struct {
	Index   int             `json:"step_index"`
	Source  string          `json:"source"`
	Type    string          `json:"type"`
	Status  string          `json:"status"`
	Time    json.RawMessage `json:"created_at"`
	Content string          `json:"content"`
	Calls   []struct {
		Name string          `json:"name"`
		Args json.RawMessage `json:"args"`
	} `json:"tool_calls"`
}

type antigravityPrompt struct {
	ID        string `json:"conversationId"`
	Workspace string `json:"workspace"`
}

func (antigravity) Name() string { return "antigravity" }

func (antigravity) Detect(_ string, head []byte) bool {
	keys := headKeys(head)
	_, index := keys["step_index"]
	_, source := keys["source"]
	return index && source
}

// Find looks where the command line and the editors keep what an agent has worked on.
func (antigravity) Find(home string, _ func(string) string) ([]string, error) {
	root := filepath.Join(home, ".gemini")
	names, err := fs.Glob(os.DirFS(root), "antigravity*/brain/*/.system_generated/logs/transcript.jsonl")
	if err != nil {
		return nil, fileError("find histories", err)
	}
	for i, name := range names {
		names[i] = filepath.Join(root, name)
	}
	slices.Sort(names)
	return names, nil
}

// Read takes a step for a turn. The calls of a response are those that the next steps of
// the model answer, in turn.
func (antigravity) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		w.begin(antigravityProcess(ctx, path))
		var open antigravityStep
		return lines(ctx, w, path, func(_ line, s *antigravityStep) bool {
			t := process.Turn{ID: ordinal("step", s.Index), Time: moment(s.Time)}
			switch {
			case s.Type == "USER_INPUT":
				text := s.Content
				if _, after, ok := strings.Cut(text, "<USER_REQUEST>"); ok {
					text, _, _ = strings.Cut(after, "</USER_REQUEST>")
				}
				t.Role, t.Content = process.RoleUser, said(userText(text))
			case s.Source != "MODEL": // of the program
			case s.Type == "PLANNER_RESPONSE":
				open = *s
				t.Role, t.Content = process.RoleAssistant, said(s.Content)
			default:
				t.Role, t.Tool, t.Failed = process.RoleTool, strings.ToLower(s.Type), s.Status == "ERROR"
				args := ""
				if len(open.Calls) > 0 {
					t.Tool, args, open.Calls = open.Calls[0].Name, arguments(open.Calls[0].Args), open.Calls[1:]
				}
				t.Content = called(t.Tool, args, s.Content)
			}
			return w.add(t)
		})
	})
}

// antigravityProcess is the conversation of a path, whose folder is its id, with the
// workspace that the list of prompts beside the conversations has for it.
func antigravityProcess(ctx context.Context, path string) process.Conversation {
	p := process.Conversation{Agent: "antigravity", External: placeName(path)}
	dir := filepath.Dir(filepath.Dir(filepath.Dir(path)))
	if id := filepath.Base(dir); uuidName.MatchString(id) {
		p.External = id
		prompts := filepath.Join(filepath.Dir(filepath.Dir(dir)), "history.jsonl")
		_ = lines(ctx, &writer{skipped: skips{}}, prompts, func(_ line, h *antigravityPrompt) bool {
			if h.ID == id && filepath.IsAbs(h.Workspace) {
				p.Project = filepath.Clean(h.Workspace)
			}
			return p.Project == ""
		}) // where there is none, the hook says it
	}
	return p
}
