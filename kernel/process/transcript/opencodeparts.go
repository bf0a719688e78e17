package transcript

import (
	"cmp"
	"encoding/json"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// opencodeSession is a session as the export has it; a row of the database is
// brought to it.
type opencodeSession struct {
	ID        string          `json:"id"`
	Parent    string          `json:"parentID"`
	Directory string          `json:"directory"`
	Title     string          `json:"title"`
	Model     json.RawMessage `json:"model"`
	Time      struct {
		Created json.RawMessage `json:"created"`
		Updated json.RawMessage `json:"updated"`
	} `json:"time"`
	Revert struct {
		Message string `json:"messageID"`
		Part    string `json:"partID"`
	} `json:"revert"`
}

type opencodeMessage struct {
	ID       string          `json:"id"`
	Role     string          `json:"role"`
	Model    string          `json:"modelID"`
	Summary  json.RawMessage `json:"summary"` // true on what a compaction wrote
	Provider struct {
		Model string `json:"modelID"`
	} `json:"model"`
	Time struct {
		Created json.RawMessage `json:"created"`
	} `json:"time"`
}

type opencodePart struct {
	ID        string `json:"id"`
	Type      string `json:"type"`
	Text      string `json:"text"`
	Synthetic bool   `json:"synthetic"` // written by the program for the model
	Ignored   bool   `json:"ignored"`
	Tool      string `json:"tool"`
	State     struct {
		Status string          `json:"status"`
		Input  json.RawMessage `json:"input"`
		Output string          `json:"output"`
		Error  string          `json:"error"`
		Time   struct {
			End json.RawMessage `json:"end"`
		} `json:"time"`
		Metadata struct {
			Exit int `json:"exit"`
		} `json:"metadata"`
	} `json:"state"`
	Time struct {
		Start json.RawMessage `json:"start"`
	} `json:"time"`
}

// opencodeQuiet are the types of parts that hold nothing to keep.
var opencodeQuiet = map[string]bool{
	"reasoning": true, "file": true, "step-start": true, "step-finish": true, "snapshot": true, "patch": true,
	"agent": true, "retry": true, "compaction": true, "subtask": true,
}

// opencodeRow is a row of the table of sessions.
func opencodeRow(row map[string]string) opencodeSession {
	s := opencodeSession{
		ID: row["id"], Parent: row["parent_id"], Directory: row["directory"], Title: row["title"], Model: json.RawMessage(row["model"]),
	}
	s.Time.Created, s.Time.Updated = json.RawMessage(row["time_created"]), json.RawMessage(row["time_updated"])
	_ = decode([]byte(row["revert"]), &s.Revert) // nothing when it is not
	return s
}

func (s *opencodeSession) process() process.Conversation {
	var model struct {
		ID      string `json:"id"`
		ModelID string `json:"modelID"`
	}
	if isObject(s.Model) {
		_ = decode(s.Model, &model) // messages name theirs, too
	}
	return process.Conversation{
		Agent: "opencode", External: handle(s.ID), Parent: handle(s.Parent), Project: folder(s.Directory),
		Title: short(s.Title, maxName), Model: short(cmp.Or(model.ID, model.ModelID), maxName),
		Start: moment(s.Time.Created), End: moment(s.Time.Updated),
	}
}

// part adds a part as a turn, and returns false when no more are wanted.
func (s *opencodeSession) part(w *writer, m opencodeMessage, p opencodePart) bool {
	// Ids ascend with time, so what is not before the mark was taken back.
	if r := s.Revert; r.Message != "" && m.ID >= r.Message && (m.ID > r.Message || r.Part == "" || p.ID >= r.Part) {
		w.skipped.add(skipAbandoned, 1)
		return true
	}
	w.proc.Model = cmp.Or(short(cmp.Or(m.Model, m.Provider.Model), maxName), w.proc.Model)
	t := process.Turn{ID: p.ID, Time: first(moment(p.Time.Start), moment(m.Time.Created))}
	switch {
	case p.Type == "tool":
		return p.call(w, t)
	case p.Type == "text" && !p.Synthetic && !p.Ignored:
		switch m.Role {
		case "user":
			t.Role, t.Content = process.RoleUser, said(userText(p.Text))
		case "assistant":
			t.Role, t.Content = process.RoleAssistant, said(p.Text)
			if string(m.Summary) == "true" {
				t.Role = process.RoleSystem
			}
		default:
			w.skipped.unknown("role", m.Role)
		}
	case p.Type != "text" && !opencodeQuiet[p.Type]:
		w.skipped.unknown("part", p.Type)
	}
	return w.add(t)
}

func (p opencodePart) call(w *writer, t process.Turn) bool {
	switch p.State.Status {
	case "completed", "error":
	default: // pending, running: the part is written again
		w.skipped.add(skipNoAnswer, 1)
		return true
	}
	t.Role, t.Tool, t.Time = process.RoleTool, p.Tool, first(moment(p.State.Time.End), t.Time)
	t.Failed = p.State.Status == "error" || p.State.Metadata.Exit != 0
	t.Content = called(p.Tool, arguments(p.State.Input), cmp.Or(p.State.Output, p.State.Error))
	return w.add(t)
}
