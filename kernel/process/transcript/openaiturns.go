package transcript

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// chatEmitter turns messages into turns. Their ids are their places in the list.
type chatEmitter struct {
	w     *writer
	base  process.Conversation
	calls []chatWaiting // of the message of the assistant before
}

type chatWaiting struct {
	id         string // the caller's
	turn       string // ours
	name, args string
}

// begin starts a conversation: that of the file, or another.
func (e *chatEmitter) begin(p *process.Conversation) {
	if p == nil {
		p = &e.base
	}
	e.calls = nil
	e.w.begin(*p)
}

// end counts the calls that no result came for.
func (e *chatEmitter) end() {
	if len(e.calls) > 0 {
		e.w.skipped.add(skipNoAnswer, len(e.calls))
	}
	e.calls = nil
}

func (e *chatEmitter) message(m *chatRecord, n int) bool {
	role, known := chatRoles[m.Role]
	if !known {
		e.w.skipped.unknown("role", m.Role)
		return true
	}
	t := process.Turn{ID: ordinal(e.w.proc.External, n), Role: role, Time: moment(m.time())}
	if role == process.RoleTool {
		return e.answer(t, cmp.Or(m.CallID, m.Name), texts(m.content()), false)
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
		if !e.answer(a, b.ToolUseID, texts(b.Content), b.IsError) {
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
		e.calls = append(e.calls, chatWaiting{
			call.ID, t.ID + "-call" + strconv.Itoa(i), cmp.Or(short(call.Function.Name, maxName), "tool"), arguments(call.Function.Arguments),
		})
	}
	return true
}

// answer adds what a tool answered, with the call that waits for it.
func (e *chatEmitter) answer(t process.Turn, id, text string, failed bool) bool {
	t.Role, t.Failed = process.RoleTool, failed
	name, args := "tool", ""
	for i, c := range e.calls {
		if c.id == id || id == "" {
			name, args, t.ID = c.name, c.args, c.turn
			e.calls = append(e.calls[:i:i], e.calls[i+1:]...)
			break
		}
	}
	t.Tool, t.Content = name, called(name, args, text)
	return e.w.add(t)
}

// unanswered adds the calls whose results were not written down, once the talk
// goes on: some tools keep the calls alone.
func (e *chatEmitter) unanswered() bool {
	for _, c := range e.calls {
		if !e.w.add(process.Turn{ID: c.turn, Role: process.RoleTool, Tool: c.name, Content: called(c.name, c.args, "")}) {
			return false
		}
	}
	e.calls = nil
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
