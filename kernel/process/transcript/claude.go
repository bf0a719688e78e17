package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"iter"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// claude reads the transcripts of Claude Code: JSONL, a record a line. Its maker
// calls the records internal, so what is not known is passed over.
type claude struct{}

// claudeRecord is a line. The links of the records make a tree, which
// claudeTree keeps; the content is read when its turn comes.
type claudeRecord struct {
	Type       string          `json:"type"`
	Subtype    string          `json:"subtype"`
	UUID       string          `json:"uuid"`
	Parent     string          `json:"parentUuid"`
	Logical    string          `json:"logicalParentUuid"`
	Session    string          `json:"sessionId"`
	Agent      string          `json:"agentId"`
	Timestamp  json.RawMessage `json:"timestamp"`
	Dir        string          `json:"cwd"`
	Branch     string          `json:"gitBranch"`
	Sidechain  bool            `json:"isSidechain"`
	Meta       bool            `json:"isMeta"`
	Compact    bool            `json:"isCompactSummary"`
	APIError   bool            `json:"isApiErrorMessage"`
	Custom     string          `json:"customTitle"`
	AITitle    string          `json:"aiTitle"`
	Summary    string          `json:"summary"`
	Leaf       string          `json:"leafUuid"`
	Attachment struct {
		Type   string          `json:"type"`
		Prompt json.RawMessage `json:"prompt"`
		Mode   string          `json:"commandMode"`
	} `json:"attachment"`
	Message struct {
		ID      string          `json:"id"`
		Model   string          `json:"model"`
		Content json.RawMessage `json:"content"`
	} `json:"message"`
}

// claudeKnown are the types of records that hold no turn.
var claudeKnown = map[string]bool{
	"system": true, "progress": true, "attachment": true, "summary": true, "custom-title": true, "ai-title": true,
	"last-prompt": true, "tag": true, "file-history-snapshot": true, "file-history-delta": true, "queue-operation": true,
	"mode": true, "permission-mode": true, "agent-name": true, "agent-setting": true, "agent-color": true, "pr-link": true,
	"worktree-state": true, "content-replacement": true, "attribution-snapshot": true, "speculation-accept": true,
	"bridge-session": true, "task-summary": true,
}

func (claude) Name() string { return "claude" }

var claudeMark = regexp.MustCompile(`"(parentUuid|leafUuid|isSidechain|isSnapshotUpdate|customTitle|aiTitle)"\s*:`)

// Detect looks for one record as only Claude Code writes it.
func (claude) Detect(path string, head []byte) bool {
	found := false
	headLines(head, func(text []byte, whole bool) bool {
		var r claudeRecord
		switch {
		case !isObject(text):
			return true
		case !whole:
			found = strings.HasSuffix(path, ".jsonl") && bytes.Contains(text, []byte(`"sessionId"`)) && claudeMark.Match(text)
		case decode(text, &r) == nil:
			message := (r.Type == "user" || r.Type == "assistant") && r.UUID != "" && r.Session != ""
			found = message || claudeKnown[r.Type] && claudeMark.Match(text)
		}
		return !found
	})
	return found
}

// Find looks where the sessions of all projects are, and their sub-agents'.
func (claude) Find(home string, env func(string) string) ([]string, error) {
	root := filepath.Join(cmp.Or(env("CLAUDE_CONFIG_DIR"), filepath.Join(home, ".claude")), "projects")
	return walk(root, func(rel string) bool {
		parts := strings.Split(rel, string(filepath.Separator))
		if filepath.Ext(rel) != ".jsonl" {
			return false
		}
		return len(parts) == 2 || len(parts) > 3 && parts[2] == "subagents" && strings.HasPrefix(filepath.Base(rel), "agent-")
	})
}

// Read follows the links of the records from the newest leaf: see claudeTree.
func (claude) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		t := newClaudeTree(path)
		err := lines(ctx, w, path, func(l line, r *claudeRecord) bool {
			t.take(w, l, r)
			return true
		})
		if err != nil {
			return err
		}
		file, err := open(opRead, path)
		if err != nil {
			return err
		}
		defer func() { _ = file.Close() }()
		w.begin(t.process())
		e := claudeEmitter{tree: t, file: file, w: w}
		for _, n := range t.order(w) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if !e.emit(n) {
				break
			}
		}
		return nil
	})
}

// claudeEmitter reads the records of a conversation again, in its order.
type claudeEmitter struct {
	tree    *claudeTree
	file    io.ReaderAt
	w       *writer
	buf     []byte
	message string          // the API message of the record before
	spoken  map[string]bool // its texts
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
	answer := e.load(n)
	if answer == nil {
		return true
	}
	for _, a := range blocks(answer.Message.Content) {
		if a.Type == "tool_result" && a.ToolUseID == b.ID {
			if at := moment(answer.Timestamp); at.After(t.Time) {
				t.Time = at
			}
			return e.w.add(process.Turn{
				ID: b.ID, Role: process.RoleTool, Tool: b.Name, Time: t.Time,
				Content: called(b.Name, arguments(b.Input), withoutReminders(texts(a.Content))), Failed: a.IsError,
			})
		}
	}
	return true
}
