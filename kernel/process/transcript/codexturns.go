package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"regexp"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// codexEmitter turns the lines of a rollout into turns. A turn's id is the number
// of its line: rollouts only grow.
type codexEmitter struct {
	w     *writer
	path  string
	gone  []span
	calls calls
	begun bool
}

// span is lines from first to before end.
type span struct{ first, end int }

var codexBack = []byte("thread_rolled_back")

// codexGone finds the lines that a rollback took back: it names how many turns of
// the user, from the last one, go with all that came after them. Most files have
// none, and are not decoded for it.
func codexGone(ctx context.Context, path string) (gone []span, err error) {
	w := &writer{skipped: skips{}} // what is skipped is counted in the reading
	rolled := false
	err = eachLine(ctx, w, path, func(l line) bool {
		rolled = bytes.Contains(l.text, codexBack)
		return !rolled
	})
	if err != nil || !rolled {
		return nil, err
	}
	var begins []int // lines where a turn of the user begins
	err = eachLine(ctx, w, path, func(l line) bool {
		if bytes.Contains(l.text, codexBack) || bytes.Contains(l.text, []byte(`"user"`)) {
			if r, ok := parse[codexRecord](w, l); ok {
				gone, begins = r.rollback(l.n, gone, begins)
			}
		}
		return true
	})
	return gone, err
}

// rollback applies line n to the lines that are gone, and to those where the
// turns that are left begin.
func (r *codexRecord) rollback(n int, gone []span, begins []int) ([]span, []int) {
	item := r.item()
	switch {
	case r.Type == "event_msg" && item.Type == "thread_rolled_back" && item.Turns > 0 && len(begins) > 0:
		at := max(0, len(begins)-item.Turns)
		s := span{begins[at], n}
		for len(gone) > 0 && gone[len(gone)-1].first >= s.first {
			gone = gone[:len(gone)-1]
		}
		return append(gone, s), begins[:at]
	case r.Type == "response_item" && item.Type == "message" && item.Role == "user" && codexSaid(item.Content) != "":
		return gone, append(begins, n)
	}
	return gone, begins
}

// item is the payload of a line. A bare one is brought to the form of today.
func (r *codexRecord) item() codexItem {
	var item codexItem
	_ = decode(r.Payload, &item) // what can't be read is of no type
	return item
}

// record adds the turn of a line, and returns false when no more are wanted.
func (e *codexEmitter) record(l line, r *codexRecord) bool {
	if !codexKnown[r.Type] {
		if r.Payload != nil || !e.bare(l, r) {
			e.w.skipped.unknown("record", r.Type)
			return true
		}
	}
	for len(e.gone) > 0 && e.gone[0].end <= l.n {
		e.gone = e.gone[1:]
	}
	if len(e.gone) > 0 && e.gone[0].first <= l.n {
		if r.Type == "response_item" {
			e.w.skipped.add(skipAbandoned, 1)
		}
		return true
	}
	item := r.item()
	t := process.Turn{Time: moment(r.Timestamp)}
	switch r.Type {
	case "session_meta":
		e.meta(item, r.Timestamp)
	case "turn_context":
		e.w.proc.Project = cmp.Or(e.w.proc.Project, folder(item.Dir))
		e.w.proc.Model = cmp.Or(short(item.Model, maxName), e.w.proc.Model)
	case "event_msg":
		if item.Type == "thread_name_updated" {
			e.w.proc.Title = cmp.Or(short(item.Title, maxName), e.w.proc.Title)
		}
	case "compacted":
		t.Role, t.Content = process.RoleSystem, said(item.Message)
	case "response_item":
		e.item(&t, item)
	}
	t.ID = ordinal(e.w.proc.External, l.n)
	return e.w.add(t)
}

// bare brings a line of an old rollout to the form of today.
func (e *codexEmitter) bare(l line, r *codexRecord) bool {
	switch r.Type {
	case "message", "function_call", "function_call_output", "reasoning", "local_shell_call":
		r.Type = "response_item"
	case "":
		if !bytes.Contains(l.text, []byte(`"id"`)) {
			return bytes.Contains(l.text, []byte(`"record_type"`)) // the state of the program
		}
		r.Type = "session_meta"
	default:
		return false
	}
	r.Payload = bytes.Clone(l.text)
	return true
}

// meta takes the first line. A fork begins with its parent's lines, whose own
// first line is not about this session.
func (e *codexEmitter) meta(item codexItem, written json.RawMessage) {
	if e.begun || len(e.w.seen) > 0 {
		return
	}
	e.begun = true
	p := &e.w.proc
	p.External = cmp.Or(handle(cmp.Or(item.ID, item.Session)), p.External)
	p.Project = folder(item.Dir)
	p.Branch = short(item.Git.Branch, maxName)
	p.Title = codexTitle(e.path, p.External)
	p.Start = moment(written)
	var source struct {
		Subagent struct {
			Spawn struct {
				Parent string `json:"parent_thread_id"`
			} `json:"thread_spawn"`
		} `json:"subagent"`
	}
	if isObject(item.Source) && decode(item.Source, &source) == nil {
		p.Parent = handle(source.Subagent.Spawn.Parent)
	}
	p.Parent = cmp.Or(p.Parent, handle(item.Forked))
}

// item reads an item of the model's API.
func (e *codexEmitter) item(t *process.Turn, item codexItem) {
	switch item.Type {
	case "message":
		switch item.Role {
		case "user":
			t.Role, t.Content = process.RoleUser, said(codexSaid(item.Content))
		case "assistant":
			t.Role, t.Content = process.RoleAssistant, said(texts(item.Content))
		case "developer", "system": // instructions of the program
		default:
			e.w.skipped.unknown("role", item.Role)
		}
	case "function_call", "custom_tool_call", "tool_search_call":
		args := item.Arguments
		if args == nil {
			args = item.Input
		}
		e.calls.wait(item.CallID, "", cmp.Or(item.Name, "tool_search"), args)
	case "local_shell_call":
		e.calls.wait(item.CallID, "", "local_shell", item.Action)
	case "web_search_call":
		t.Role, t.Tool = process.RoleTool, "web_search"
		t.Content, t.Failed = called("web_search", arguments(item.Action), ""), item.Status == "failed"
	case "function_call_output", "custom_tool_call_output", "tool_search_output", "local_shell_call_output":
		text, failed := codexOutput(item.Output)
		t.Tool = item.Name
		e.calls.answer(t, item.CallID, text, failed)
	default:
		if !codexQuiet[item.Type] {
			e.w.skipped.unknown("item", item.Type)
		}
	}
}

var (
	codexExit  = regexp.MustCompile(`(?m)^(?:Exit code:|Process exited with code) (-?\d+)\s*$`)
	codexFront = regexp.MustCompile(`(?m)^(?:Chunk ID|Wall time|Original token count|Total output lines): .*\n`)
)

// codexOutput reads what a tool answered: text, {"output", "metadata"} as text or
// not, {"content", "success"}, or a list of parts; and whether it failed.
func codexOutput(raw json.RawMessage) (text string, failed bool) {
	text = plain(raw)
	var o struct {
		Output   *string         `json:"output"`
		Content  json.RawMessage `json:"content"`
		Success  *bool           `json:"success"`
		Metadata struct {
			ExitCode int `json:"exit_code"`
		} `json:"metadata"`
	}
	switch {
	case isObject([]byte(text)) && decode([]byte(text), &o) == nil && (o.Output != nil || o.Content != nil):
		failed = o.Metadata.ExitCode != 0 || o.Success != nil && !*o.Success
		if o.Output != nil {
			return *o.Output, failed
		}
		return texts(o.Content), failed
	case strings.HasPrefix(text, "[") && json.Valid([]byte(text)):
		if s := texts(json.RawMessage(text)); s != "" {
			text = s
		}
	}
	front, body, found := strings.Cut(text, "\nOutput:\n")
	if !found || len(front) > 1000 { // where the program writes about a command
		return text, false
	}
	if m := codexExit.FindStringSubmatch(front); m != nil {
		failed = strings.Trim(m[1], "0") != ""
	}
	front = strings.TrimSpace(codexFront.ReplaceAllString(front+"\n", ""))
	return strings.TrimSpace(front + "\n" + body), failed
}

// codexSaid is what the user said in a message: an editor's extension writes what
// is open in it before.
func codexSaid(content json.RawMessage) string {
	var parts []string
	for _, b := range blocks(content) {
		s := userText(b.shown())
		if strings.HasPrefix(s, "# Context from my IDE setup:") {
			_, s, _ = strings.Cut(s, "## My request for Codex:")
			s = strings.TrimSpace(s)
		}
		if s != "" {
			parts = append(parts, s)
		}
	}
	return strings.Join(parts, "\n\n")
}
