package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// cline reads the tasks of Cline and of Roo Code: a folder a task, of which
// ui_messages.json holds what was said, ClineMessage in cline/cline,
// src/shared/ExtensionMessage.ts. What the model was sent,
// api_conversation_history.json, is the same conversation with the extension's own
// text among the user's: for it, the file beside it is read.
type cline struct{}

const (
	clineFile = "ui_messages.json"
	clineSent = "api_conversation_history.json"
)

type clineMessage struct {
	TS      json.RawMessage   `json:"ts"`
	Ask     string            `json:"ask"`
	Say     string            `json:"say"`
	Text    string            `json:"text"`
	Images  []json.RawMessage `json:"images"`
	Partial bool              `json:"partial"`
	Model   struct {
		ID string `json:"modelId"`
	} `json:"modelInfo"`

	first  bool   // of the task
	output string // of the command that it is
}

// clineData is the text of a message that is JSON: a question, or a call of a tool.
type clineData struct {
	Question string `json:"question"`
	Response string `json:"response"`
	Selected string `json:"selected"` // an option, by the user

	Tool      string          `json:"tool"`
	Path      string          `json:"path"`
	Content   string          `json:"content"`
	Diff      string          `json:"diff"`
	MCPTool   string          `json:"toolName"`
	Arguments json.RawMessage `json:"arguments"`
}

// clineDir is the directory of a task as the model is told of it, in JSON in JSON.
var clineDir = regexp.MustCompile(`# Current (?:Working|Workspace) Directory \((/[^()\\]*)\) Files`)

func (cline) Name() string { return "cline" }

// Detect wants a list of messages with times that ask or say, or the other file of a
// task beside one.
func (cline) Detect(path string, head []byte) bool {
	inner, list := bytes.CutPrefix(bytes.TrimSpace(trimMark(head)), []byte("["))
	keys := headKeys(bytes.TrimSpace(inner))
	_, ts := keys["ts"]
	_, say := keys["say"]
	_, ask := keys["ask"]
	if list && ts && (say || ask) {
		return true
	}
	_, err := os.Stat(filepath.Join(filepath.Dir(path), clineFile))
	return filepath.Base(path) == clineSent && err == nil
}

// Find looks where VS Code and its kin keep the data of extensions, here or at the
// far end of a remote session.
func (cline) Find(home string, env func(string) string) ([]string, error) {
	const below = "globalStorage/*/tasks/*/" + clineFile
	var found []string
	for root, users := range map[string]string{cmp.Or(env("XDG_CONFIG_HOME"), filepath.Join(home, ".config")): "*/User/", home: ".*/data/User/"} {
		names, err := fs.Glob(os.DirFS(root), users+below)
		if err != nil {
			return nil, fileError("find histories", err)
		}
		for _, name := range names {
			found = append(found, filepath.Join(root, name))
		}
	}
	slices.Sort(found)
	return found, nil
}

// Read adds each message when the next one is there: the last may still grow.
func (cline) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		if filepath.Base(path) == clineSent {
			path = filepath.Join(filepath.Dir(path), clineFile)
		}
		text, err := document(path)
		if err != nil {
			return err
		}
		var list []json.RawMessage
		if decode(text, &list) != nil {
			return errDocument()
		}
		w.begin(clineTask(path, text))
		last := &clineMessage{}
		for i, raw := range list {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, ok := parse[clineMessage](w, line{text: raw})
			switch {
			case !ok:
			case m.Ask == "command_output" || m.Say == "command_output" || m.Say == "mcp_server_response":
				last.output += cut(m.Text, maxResult) + "\n"
			case !last.add(w):
				return nil
			default:
				last, m.first = m, i == 0
			}
		}
		if kind := cmp.Or(last.Say, last.Ask); !last.Partial && kind != "command" && kind != "use_mcp_server" {
			last.add(w)
		}
		return nil
	})
}

// clineTask says whose task it is, by its folder and by what Roo keeps beside it.
func clineTask(path string, text []byte) process.Conversation {
	p := process.Conversation{Agent: "cline", External: placeName(path)}
	dir := filepath.Dir(path)
	if filepath.Base(filepath.Dir(dir)) == "tasks" {
		p.External = handle(filepath.Base(dir))
	}
	if m := clineDir.FindSubmatch(text); m != nil {
		p.Project = folder(string(m[1]))
	}
	if raw := beside(filepath.Join(dir, "history_item.json"), 8<<20); raw != nil {
		var item struct {
			Parent    string `json:"parentTaskId"`
			Workspace string `json:"workspace"`
		}
		_ = decode(raw, &item) // else nothing more is known
		p.Agent, p.Parent, p.Project = "roo", handle(item.Parent), cmp.Or(folder(item.Workspace), p.Project)
	}
	return p
}

// add adds what a message says, and returns false when no more are wanted. Messages
// of the extension's own are no turns.
func (m *clineMessage) add(w *writer) bool {
	kind := cmp.Or(m.Say, m.Ask)
	w.proc.Model = cmp.Or(short(m.Model.ID, maxName), w.proc.Model)
	var data clineData
	if isObject([]byte(m.Text)) {
		_ = decode([]byte(m.Text), &data) // else it is text
	}
	t := process.Turn{Time: moment(m.TS), Role: process.RoleAssistant, Content: said(m.Text)}
	if ts := plain(m.TS); ts != "" {
		t.ID = ts + "-" + kind
	}
	switch {
	case kind == "task" || kind == "user_feedback" || kind == "text" && m.first: // Roo says the task as a text
		t.Role = process.RoleUser
		if t.Content == "" && len(m.Images) > 0 {
			t.Content = "[image]"
		}
	case kind == "text" || m.Say == "completion_result":
		t.Content = said(strings.TrimSuffix(m.Text, "HAS_CHANGES"))
	case kind == "followup" || kind == "plan_mode_respond" || kind == "act_mode_respond":
		t.Content = cmp.Or(said(cmp.Or(data.Question, data.Response)), t.Content)
		answer := process.Turn{Time: t.Time, Role: process.RoleUser, Content: said(data.Selected)}
		if t.ID != "" {
			answer.ID = t.ID + "-selected"
		}
		return w.add(t) && w.add(answer)
	case kind == "tool" || kind == "user_feedback_diff":
		t.Role, t.Tool = process.RoleTool, data.Tool
		t.Content = called(cmp.Or(data.Tool, "tool"), short(data.Path, maxArgs), cmp.Or(data.Diff, data.Content))
	case kind == "command" || kind == "use_mcp_server":
		args, output, _ := strings.Cut(m.Text, "\nOutput:\n") // newer versions write it to the command
		if data.MCPTool != "" {
			args = arguments(data.Arguments)
		}
		t.Role, t.Tool = process.RoleTool, cmp.Or(data.MCPTool, kind)
		t.Content = called(t.Tool, short(args, maxArgs), output+m.output)
	default:
		return true
	}
	return w.add(t)
}
