package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"strconv"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// copilot reads the chats of VS Code, as "Chat: Export Chat" writes them: one JSON
// document, IExportableChatData in microsoft/vscode,
// src/vs/workbench/contrib/chat/common/model/chatModel.ts.
type copilot struct{}

type copilotRequest struct {
	ID        string            `json:"requestId"`
	Message   json.RawMessage   `json:"message"`
	Response  []json.RawMessage `json:"response"`
	Timestamp json.RawMessage   `json:"timestamp"`
	Model     string            `json:"modelId"`
	System    bool              `json:"isSystemInitiated"`
	Removed   *struct{}         `json:"shouldBeRemovedOnSend"` // taken back
}

// copilotPart is a piece of a response: text when it has no kind.
type copilotPart struct {
	Kind      string          `json:"kind"`
	Value     string          `json:"value"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	Reference json.RawMessage `json:"inlineReference"`
	URI       json.RawMessage `json:"uri"`
	Tool      string          `json:"toolId"`
	Done      json.RawMessage `json:"pastTenseMessage"`
	Doing     json.RawMessage `json:"invocationMessage"`
	Specific  struct {
		Line struct {
			Original string `json:"original"`
		} `json:"commandLine"`
	} `json:"toolSpecificData"`
	Result struct {
		Output  []json.RawMessage `json:"output"`
		IsError bool              `json:"isError"`
	} `json:"resultDetails"`
	Answers json.RawMessage `json:"data"` // of the user, to a questionCarousel
}

func (copilot) Name() string { return "copilot" }

// Detect wants a list of requests of a chat.
func (copilot) Detect(_ string, head []byte) bool {
	keys := headKeys(head)
	_, requests := keys["requests"]
	_, responder := keys["responderUsername"]
	return requests && (responder || bytes.Contains(head, []byte(`"requestId"`)))
}

// Find knows no place: an export lies where its user saved it.
func (copilot) Find(string, func(string) string) ([]string, error) { return nil, nil }

// Read takes a request for a turn, and its response for one at each call of a tool.
func (copilot) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		var chat struct {
			Session  string            `json:"sessionId"`
			Title    string            `json:"customTitle"`
			Requests []json.RawMessage `json:"requests"`
		}
		if err := decodeDocument(path, &chat); err != nil {
			return err
		}
		w.begin(process.Conversation{Agent: "copilot", External: cmp.Or(handle(chat.Session), placeName(path)), Title: short(chat.Title, maxName)})
		for i, raw := range chat.Requests {
			if err := ctx.Err(); err != nil {
				return err
			}
			if r, ok := parse[copilotRequest](w, line{text: raw}); ok && !r.add(w, i) {
				break
			}
		}
		return nil
	})
}

// add adds the turns of a request, and returns false when no more are wanted.
func (r *copilotRequest) add(w *writer, i int) bool {
	if r.Removed != nil {
		w.skipped.add(skipAbandoned, 1)
		return true
	}
	w.proc.Model = cmp.Or(short(r.Model, maxName), w.proc.Model)
	id := cmp.Or(r.ID, ordinal("request", i))
	t := process.Turn{ID: id, Time: moment(r.Timestamp), Role: process.RoleUser, Content: said(userText(copilotText(r.Message)))}
	if !r.System && !w.add(t) {
		return false
	}
	text := ""
	for n, raw := range r.Response {
		p, ok := parse[copilotPart](w, line{text: raw})
		if !ok {
			continue
		}
		step := process.Turn{ID: id + "-" + strconv.Itoa(n), Time: t.Time, Role: process.RoleTool}
		switch p.Kind {
		case "", "markdownContent":
			text += cmp.Or(p.Value, copilotText(p.Content))
		case "inlineReference":
			text += "`" + cmp.Or(p.Name, filepath.Base(copilotText(p.Reference))) + "`"
		case "toolInvocationSerialized":
			var result bytes.Buffer
			for _, out := range p.Result.Output {
				result.WriteString(copilotText(out) + "\n")
			}
			args := cmp.Or(p.Specific.Line.Original, copilotText(p.Done), copilotText(p.Doing))
			step.Tool, step.Failed = p.Tool, p.Result.IsError
			step.Content = called(cmp.Or(p.Tool, "tool"), short(args, maxArgs), result.String())
		case "textEditGroup":
			step.Tool, step.Content = "edit", called("edit", short(copilotText(p.URI), maxArgs), "")
		case "questionCarousel":
			step.Role, step.Content = process.RoleUser, said(arguments(p.Answers))
		}
		if step.Content != "" {
			if !w.add(process.Turn{ID: step.ID + "-text", Time: t.Time, Role: process.RoleAssistant, Content: said(text)}) || !w.add(step) {
				return false
			}
			text = ""
		}
	}
	return w.add(process.Turn{ID: id + "-end", Time: t.Time, Role: process.RoleAssistant, Content: said(text)})
}

// copilotText is a text as VS Code writes one: a string, Markdown, a message, or the
// path of a file.
func copilotText(raw json.RawMessage) string {
	var m struct {
		Text  string `json:"text"`
		Value string `json:"value"`
		Path  string `json:"path"`
	}
	if !isObject(raw) || decode(raw, &m) != nil {
		return plain(raw)
	}
	return cmp.Or(m.Text, m.Value, m.Path)
}
