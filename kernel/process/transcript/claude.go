package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
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
