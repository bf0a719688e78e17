package transcript

import (
	"cmp"
	"encoding/json"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// chatRecord is a message, or a list of them.
type chatRecord struct {
	Role     string          `json:"role"`
	Content  json.RawMessage `json:"content"`
	Refusal  string          `json:"refusal"`
	Name     string          `json:"name"`
	CallID   string          `json:"tool_call_id"`
	Calls    []chatCall      `json:"tool_calls"`
	Function chatFunction    `json:"function_call"` // before there were several
	Time     json.RawMessage `json:"timestamp"`
	Created  json.RawMessage `json:"created_at"`
	Message  struct {
		Content json.RawMessage `json:"content"`
	} `json:"message"` // Cursor

	Messages []json.RawMessage `json:"messages"`
	Title    string            `json:"title"`
	Model    string            `json:"model"`
}

type chatCall struct {
	ID       string       `json:"id"`
	Function chatFunction `json:"function"`
}

type chatFunction struct {
	Name      string          `json:"name"`
	Arguments json.RawMessage `json:"arguments"`
}

var chatRoles = map[string]process.Role{
	"user": process.RoleUser, "human": process.RoleUser,
	"assistant": process.RoleAssistant, "ai": process.RoleAssistant, "model": process.RoleAssistant,
	"tool": process.RoleTool, "function": process.RoleTool,
	"system": process.RoleSystem, "developer": process.RoleSystem,
}

func (m *chatRecord) content() json.RawMessage {
	if len(m.Content) == 0 {
		return m.Message.Content
	}
	return m.Content
}

func (m *chatRecord) time() json.RawMessage {
	if len(m.Time) == 0 {
		return m.Created
	}
	return m.Time
}

// calls are the calls of a message in any of the forms.
func (m *chatRecord) calls() []chatCall {
	list := m.Calls
	if m.Function.Name != "" {
		list = append(list, chatCall{ID: m.Function.Name, Function: m.Function})
	}
	for _, b := range blocks(m.content()) {
		if b.Type == "tool_use" {
			list = append(list, chatCall{ID: cmp.Or(b.ID, b.Name), Function: chatFunction{b.Name, b.Input}})
		}
	}
	return list
}

// chatEmitter turns messages into turns. Their ids are their places in the list.
type chatEmitter struct {
	w     *writer
	base  process.Conversation
	calls calls // of the message of the assistant before
}

func (e *chatEmitter) message(m *chatRecord, n int) bool {
	role, known := chatRoles[m.Role]
	if !known {
		e.w.skipped.unknown("role", m.Role)
		return true
	}
	t := process.Turn{ID: ordinal(e.w.proc.External, n), Role: role, Time: moment(m.time())}
	if role == process.RoleTool {
		e.calls.answer(&t, cmp.Or(m.CallID, m.Name), texts(m.content()), false)
		return e.w.add(t)
	}
	var answers []block
	text := ""
	for _, b := range blocks(m.content()) {
		if b.Type == "tool_result" {
			answers = append(answers, b)
		} else if s := b.shown(); s != "" {
			text += "\n\n" + s
		}
	}
	for i, b := range answers {
		a := t
		a.ID += "-" + strconv.Itoa(i)
		e.calls.answer(&a, b.ToolUseID, texts(b.Content), b.IsError)
		if !e.w.add(a) {
			return false
		}
	}
	switch role {
	case process.RoleUser:
		t.Content = said(userText(withoutQuery(text)))
	case process.RoleSystem:
		t.Content = cut(clean(text), maxResult)
	default:
		t.Content = said(cmp.Or(strings.TrimSpace(text), m.Refusal))
	}
	if (t.Content != "" || role == process.RoleAssistant) && !e.unanswered() || !e.w.add(t) {
		return false
	}
	for i, call := range m.calls() {
		e.calls.wait(call.ID, t.ID+"-call"+strconv.Itoa(i), call.Function.Name, call.Function.Arguments)
	}
	return true
}

// unanswered adds the calls whose results were not written down, once the
// conversation goes on: some tools keep the calls alone.
func (e *chatEmitter) unanswered() bool {
	for _, c := range e.calls.open {
		if !e.w.add(process.Turn{ID: c.turn, Role: process.RoleTool, Tool: c.name, Content: called(c.name, c.args, "")}) {
			return false
		}
	}
	e.calls.open = nil
	return true
}

// withoutQuery takes what Cursor puts a user's words in.
func withoutQuery(s string) string {
	_, inner, found := strings.Cut(s, "<user_query>")
	if !found {
		return s
	}
	inner, _, _ = strings.Cut(inner, "</user_query>")
	return inner
}
