package transcript

import (
	"cmp"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// geminiRecord is a line: the session, a message, or a change of earlier ones.
type geminiRecord struct {
	Session     string            `json:"sessionId"`
	Hash        string            `json:"projectHash"`
	Start       json.RawMessage   `json:"startTime"`
	Updated     json.RawMessage   `json:"lastUpdated"`
	Kind        string            `json:"kind"`
	Directories []string          `json:"directories"`
	Summary     string            `json:"summary"`
	Messages    []json.RawMessage `json:"messages"`

	ID        string          `json:"id"`
	Timestamp json.RawMessage `json:"timestamp"`
	Type      string          `json:"type"`
	Content   json.RawMessage `json:"content"`
	Display   json.RawMessage `json:"displayContent"`
	Model     string          `json:"model"`
	Calls     []geminiCall    `json:"toolCalls"`

	Rewind string          `json:"$rewindTo"`
	Set    json.RawMessage `json:"$set"`
}

type geminiCall struct {
	ID        string          `json:"id"`
	Name      string          `json:"name"`
	Args      json.RawMessage `json:"args"`
	Result    json.RawMessage `json:"result"`
	Status    string          `json:"status"`
	Timestamp json.RawMessage `json:"timestamp"`
}

// geminiChat is a chat as far as it was read: its turns, each cut to the size that
// is kept.
type geminiChat struct {
	w             *writer
	proc          process.Conversation
	session, hash string
	messages      []geminiMessage
	index         map[string]int // id to its place in messages
	size          int
}

type geminiMessage struct {
	id    string
	turns []process.Turn
	size  int
}

// maxChat is how much text of one chat is kept in memory, in bytes.
var maxChat = 128 << 20

// take applies a line.
func (c *geminiChat) take(r *geminiRecord, n int) {
	switch {
	case r.Rewind != "":
		if at, ok := c.index[r.Rewind]; ok {
			c.w.skipped.add(skipAbandoned, len(c.messages)-at)
			c.truncate(at)
		}
	case r.Set != nil:
		var set geminiRecord
		if decode(r.Set, &set) != nil {
			c.w.skipped.add(skipUnparsable, 1)
			return
		}
		c.meta(&set)
	case r.Session != "" || r.Hash != "" || r.Messages != nil:
		c.meta(r)
	case r.ID != "" || r.Type != "":
		c.message(r, n)
	default:
		c.w.skipped.unknown("record", r.Type)
	}
}

func (c *geminiChat) truncate(at int) {
	for _, m := range c.messages[at:] {
		delete(c.index, m.id)
		c.size -= m.size
	}
	c.messages = slices.Clip(c.messages[:at])
}

// meta takes the fields of the session. A list of messages replaces all earlier
// ones.
func (c *geminiChat) meta(r *geminiRecord) {
	c.session, c.hash = cmp.Or(c.session, r.Session), cmp.Or(c.hash, r.Hash)
	c.proc.Title = cmp.Or(short(r.Summary, maxName), c.proc.Title)
	if t := moment(r.Start); !t.IsZero() {
		c.proc.Start = t
	}
	if t := moment(r.Updated); t.After(c.proc.End) {
		c.proc.End = t
	}
	if len(r.Directories) > 0 {
		c.proc.Project = cmp.Or(c.proc.Project, folder(r.Directories[0]))
	}
	if r.Messages == nil {
		return
	}
	before := c.messages
	c.truncate(0)
	for i, raw := range r.Messages {
		var m geminiRecord
		if !isObject(raw) || decode(raw, &m) != nil {
			c.w.skipped.add(skipUnparsable, 1)
			continue
		}
		c.message(&m, i)
	}
	c.lost(before, c.messages)
}

// lost counts the turns that what came later has no more.
func (c *geminiChat) lost(before, after []geminiMessage) {
	ids := map[string]bool{}
	for _, m := range after {
		for _, t := range m.turns {
			ids[t.ID] = true
		}
	}
	for _, m := range before {
		for _, t := range m.turns {
			if !ids[t.ID] {
				c.w.skipped.add(skipAbandoned, 1)
			}
		}
	}
}

// message puts a message at the end, or in the place of the one of its id.
func (c *geminiChat) message(r *geminiRecord, n int) {
	id := cmp.Or(r.ID, ordinal("message", n))
	m := geminiMessage{id: id, turns: c.turns(r, id)}
	for _, t := range m.turns {
		m.size += len(t.Content) + 128
	}
	if at, ok := c.index[id]; ok {
		c.lost(c.messages[at:at+1], []geminiMessage{m})
		c.size += m.size - c.messages[at].size
		c.messages[at] = m
		return
	}
	if c.size+m.size > maxChat {
		c.w.skipped.add(skipTooBig, 1)
		return
	}
	c.index[id] = len(c.messages)
	c.messages = append(c.messages, m)
	c.size += m.size
}

func (c *geminiChat) turns(r *geminiRecord, id string) []process.Turn {
	t := process.Turn{ID: id, Time: moment(r.Timestamp)}
	switch r.Type {
	case "user":
		content := r.Display
		if len(content) == 0 {
			content = r.Content
		}
		text, _, _ := strings.Cut(geminiText(content), "\n--- Content from referenced files ---")
		t.Role, t.Content = process.RoleUser, said(userText(text))
	case "gemini":
		c.proc.Model = cmp.Or(short(r.Model, maxName), c.proc.Model)
		t.Role, t.Content = process.RoleAssistant, said(geminiText(r.Content))
	case "info", "warning", "error": // the program's notices
	default:
		c.w.skipped.unknown("message", r.Type)
	}
	var list []process.Turn
	if t.Content != "" {
		list = append(list, t)
	}
	for i, call := range r.Calls {
		switch call.Status {
		case "validating", "scheduled", "executing", "awaiting_approval":
			continue // there will be a later record of the message
		}
		list = append(list, process.Turn{
			ID: cmp.Or(call.ID, ordinal(id+"-call", i)), Role: process.RoleTool, Tool: call.Name, Time: first(moment(call.Timestamp), t.Time),
			Content: called(call.Name, arguments(call.Args), geminiText(call.Result)),
			Failed:  call.Status == "error" || call.Status == "cancelled",
		})
	}
	return list
}

// geminiText joins the parts of a content: text, or what a tool answered.
func geminiText(raw json.RawMessage) string {
	var parts []string
	for _, one := range items(raw) {
		var p struct {
			Text     string          `json:"text"`
			Thought  bool            `json:"thought"`
			Inline   json.RawMessage `json:"inlineData"`
			Response struct {
				Response json.RawMessage `json:"response"`
			} `json:"functionResponse"`
		}
		switch {
		case isString(one):
			p.Text = plain(one)
		case !isObject(one) || decode(one, &p) != nil || p.Thought:
			continue
		case p.Inline != nil:
			p.Text = "[file]"
		case p.Response.Response != nil:
			p.Text = arguments(p.Response.Response)
			if names, values := members(p.Response.Response); len(names) == 1 {
				p.Text = values[0]
			}
		}
		if p.Text != "" {
			parts = append(parts, p.Text)
		}
	}
	return strings.Join(parts, "\n\n")
}

// geminiProject is the project that a folder of chats belongs to: from the mark in
// the folder, or from the list of projects beside it, by the folder's name or, in
// old versions, by the hash of the project's path.
func geminiProject(dir, hash string) string {
	root := beside(filepath.Join(dir, ".project_root"), headSize)
	if p := folder(strings.TrimSpace(string(root))); p != "" {
		return p
	}
	var list struct {
		Projects map[string]string `json:"projects"`
	}
	_ = decode(beside(filepath.Join(filepath.Dir(filepath.Dir(dir)), "projects.json"), 8<<20), &list) // else none is known
	for root, name := range list.Projects {
		if name == filepath.Base(dir) || hash != "" && digest(root, 64) == hash {
			return folder(root)
		}
	}
	return ""
}
