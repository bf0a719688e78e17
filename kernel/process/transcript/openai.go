package transcript

import (
	"bytes"
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// openai reads plain lists of messages, as the APIs of models take them: a JSON
// array, an object with "messages", or JSONL of either messages or such objects.
// The transcripts of Cursor are among them.
type openai struct{}

func (openai) Name() string { return "openai" }

// Detect wants a role in the first message.
func (openai) Detect(_ string, head []byte) bool {
	head = bytes.TrimSpace(trimMark(head))
	if inner, ok := bytes.CutPrefix(head, []byte("[")); ok {
		head = bytes.TrimSpace(inner)
	}
	keys := headKeys(head)
	if role := plain(keys["role"]); chatRoles[role] != "" {
		return true
	}
	list, ok := keys["messages"]
	if !ok {
		return false
	}
	if list == nil {
		return bytes.Contains(head, []byte(`"role"`))
	}
	var messages []chatRecord
	return decode(list, &messages) == nil && len(messages) > 0 && chatRoles[messages[0].Role] != ""
}

// Find looks for the transcripts of Cursor: lists of messages lie anywhere else.
func (openai) Find(home string, _ func(string) string) ([]string, error) {
	return walk(filepath.Join(home, ".cursor", "projects"), func(rel string) bool {
		parts := strings.Split(rel, string(filepath.Separator))
		return len(parts) > 2 && parts[1] == "agent-transcripts" && filepath.Ext(rel) == ".jsonl"
	})
}

// Read yields one conversation for a list of messages, or one for each object
// that has a list.
func (openai) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		e := chatEmitter{w: w, base: chatProcess(path), calls: calls{w: w}}
		w.begin(e.base)
		first, err := firstLine[chatRecord](ctx, path)
		if err != nil {
			return err
		}
		if first == nil {
			return e.document(ctx, path)
		}
		err = lines(ctx, w, path, func(l line, r *chatRecord) bool { return e.record(ctx, r, l.n) })
		e.calls.drop()
		return err
	})
}

// chatProcess names the conversation after the file; a transcript of Cursor is
// named by its session.
func chatProcess(path string) process.Conversation {
	name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
	if uuidName.MatchString(name) && strings.Contains(filepath.ToSlash(path), "/agent-transcripts/") {
		return process.Conversation{Agent: "cursor", External: name}
	}
	return process.Conversation{Agent: "openai", External: placeName(path)}
}

// document reads a file that is one array or object over several lines.
func (e *chatEmitter) document(ctx context.Context, path string) error {
	text, err := document(path)
	if err != nil {
		return err
	}
	list := []json.RawMessage{text}
	if text = bytes.TrimSpace(text); len(text) > 0 && text[0] == '[' {
		list = nil
		err = decode(text, &list)
	}
	if err != nil || !json.Valid(text) {
		return errDocument()
	}
	if !e.each(list, func(r *chatRecord, i int) bool { return e.record(ctx, r, i) }) {
		return ctx.Err()
	}
	e.calls.drop()
	return nil
}

// record takes a message, or begins a conversation with a list of its own.
func (e *chatEmitter) record(ctx context.Context, r *chatRecord, n int) bool {
	if r.Messages == nil {
		return e.message(r, n)
	}
	p := e.base
	if n > 0 {
		p.External = ordinal(p.External, n)
	}
	p.Title, p.Model = short(r.Title, maxName), short(r.Model, maxName)
	e.calls.open = nil
	e.w.begin(p)
	if !e.each(r.Messages, func(m *chatRecord, i int) bool { return ctx.Err() == nil && e.message(m, i) }) {
		return false
	}
	e.calls.drop()
	return true
}

// each calls f with the records of a list until it returns false.
func (e *chatEmitter) each(list []json.RawMessage, f func(*chatRecord, int) bool) bool {
	for i, raw := range list {
		if r, ok := parse[chatRecord](e.w, line{text: raw}); ok && !f(r, i) {
			return false
		}
	}
	return true
}
