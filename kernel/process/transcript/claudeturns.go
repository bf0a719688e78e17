package transcript

import (
	"io"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// claudeEmitter reads the records of a conversation again, in its order.
type claudeEmitter struct {
	tree *claudeTree
	file io.ReaderAt
	w    *writer
	buf  []byte
	// The record of results that was read last: tools that ran side by side
	// often share one.
	answer   *claudeRecord
	answerOf int32
	message  string          // the API message of the record before
	spoken   map[string]bool // its texts
}

func (e *claudeEmitter) load(n int32) *claudeRecord {
	node := &e.tree.nodes[n]
	if cap(e.buf) < node.size {
		e.buf = make([]byte, node.size)
	}
	e.buf = e.buf[:node.size]
	r := new(claudeRecord)
	if _, err := e.file.ReadAt(e.buf, node.off); err != nil || decode(trimMark(e.buf), r) != nil {
		e.w.skipped.add(skipUnparsable, 1) // the file changed below us
		return nil
	}
	return r
}

// emit adds the turns of a record, and returns false when no more are wanted.
func (e *claudeEmitter) emit(n int32) bool {
	if !e.tree.nodes[n].turns {
		return true
	}
	r := e.load(n)
	if r == nil {
		return true
	}
	t := process.Turn{ID: r.UUID, Time: moment(r.Timestamp), Role: process.Role(r.Type)}
	if t.ID == "" { // a record of a file without uuids
		t.ID = ordinal("at", int(e.tree.nodes[n].off))
	}
	switch {
	case r.Type == "attachment":
		t.Role, t.Content = process.RoleUser, said(userText(texts(r.Attachment.Prompt)))
		return e.w.add(t)
	case r.Compact:
		t.Role, t.Content = process.RoleSystem, said(texts(r.Message.Content))
		return e.w.add(t)
	case r.APIError || r.Message.Model == "<synthetic>":
		return true // the program speaking of its connection
	}
	return e.blocks(t, r)
}

// blocks adds what a record says as one turn, and each call of a tool as one.
func (e *claudeEmitter) blocks(t process.Turn, r *claudeRecord) bool {
	var parts []string
	list := blocks(r.Message.Content)
	for _, b := range list {
		switch b.Type {
		case "tool_use", "tool_result", "thinking", "redacted_thinking", "server_tool_use":
			continue
		}
		text := b.shown()
		if t.Role == process.RoleUser {
			text = userText(text)
		}
		if text == "" && !b.isText() {
			e.w.skipped.unknown("block", b.Type)
		}
		if text = clean(text); text != "" {
			parts = append(parts, text)
		}
	}
	t.Content = said(strings.Join(parts, "\n\n"))
	if t.Content != "" && e.repeated(r, t.Content) {
		e.w.skipped.add(skipDuplicate, 1)
		t.Content = ""
	}
	if !e.w.add(t) {
		return false
	}
	for _, b := range list {
		if b.Type == "tool_use" && b.ID != "" && !e.call(b, t) {
			return false
		}
	}
	return true
}

// repeated says whether a message of the API has this text already: some
// versions wrote a message again when it grew.
func (e *claudeEmitter) repeated(r *claudeRecord, text string) bool {
	if r.Message.ID != e.message || r.Message.ID == "" {
		e.message, e.spoken = r.Message.ID, map[string]bool{}
	}
	before := e.spoken[text]
	e.spoken[text] = true
	return before && r.Message.ID != ""
}

// call adds the call of a tool with its result. One that has no result yet waits
// for the next reading: a turn is never changed.
func (e *claudeEmitter) call(b block, t process.Turn) bool {
	n, ok := e.tree.results[b.ID]
	if !ok {
		e.w.skipped.add(skipNoAnswer, 1)
		return true
	}
	if e.answer == nil || e.answerOf != n {
		e.answer, e.answerOf = e.load(n), n
	}
	if e.answer == nil {
		return true
	}
	for _, a := range blocks(e.answer.Message.Content) {
		if a.Type == "tool_result" && a.ToolUseID == b.ID {
			return e.w.add(process.Turn{
				ID: b.ID, Role: process.RoleTool, Tool: b.Name, Time: laterOf(t.Time, moment(e.answer.Timestamp)),
				Content: called(b.Name, arguments(b.Input), withoutReminders(texts(a.Content))), Failed: a.IsError,
			})
		}
	}
	return true
}
