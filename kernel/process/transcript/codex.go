package transcript

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// codex reads the rollouts of the Codex CLI: JSONL, plain or compressed. Two logs
// are interleaved in them; the items of the model's API are read, and the events
// that mirror them are not.
type codex struct{}

// codexRecord is a line. Old versions wrote the payload bare.
type codexRecord struct {
	Timestamp json.RawMessage `json:"timestamp"`
	Type      string          `json:"type"`
	Payload   json.RawMessage `json:"payload"`
}

// codexItem is a payload of any type.
type codexItem struct {
	Type      string          `json:"type"`
	Role      string          `json:"role"`
	Content   json.RawMessage `json:"content"`
	Name      string          `json:"name"`
	CallID    string          `json:"call_id"`
	Arguments json.RawMessage `json:"arguments"`
	Input     json.RawMessage `json:"input"`
	Action    json.RawMessage `json:"action"`
	Output    json.RawMessage `json:"output"`
	Status    string          `json:"status"`
	Message   string          `json:"message"`
	Turns     int             `json:"num_turns"`
	Title     string          `json:"thread_name"`

	ID      string          `json:"id"`
	Session string          `json:"session_id"`
	Dir     string          `json:"cwd"`
	Model   string          `json:"model"`
	Source  json.RawMessage `json:"source"`
	Forked  string          `json:"forked_from_id"`
	Git     struct {
		Branch string `json:"branch"`
	} `json:"git"`
}

// codexKnown are the types of lines.
var codexKnown = map[string]bool{
	"session_meta": true, "turn_context": true, "response_item": true, "event_msg": true, "compacted": true,
	"inter_agent_communication": true, "inter_agent_communication_metadata": true, "world_state": true,
}

// codexQuiet are the types of items that hold nothing to keep.
var codexQuiet = map[string]bool{
	"reasoning": true, "ghost_snapshot": true, "compaction": true, "compaction_summary": true,
	"compaction_trigger": true, "context_compaction": true, "other": true, "agent_message": true,
}

func (codex) Name() string { return "codex" }

// Detect wants a line with a type and a payload of Codex.
func (codex) Detect(path string, head []byte) bool {
	head = unpackedHead(head)
	found, checked := false, 0
	headLines(head, func(text []byte, whole bool) bool {
		checked++
		keys := headKeys(text)
		found = codexKnown[plain(keys["type"])] && (!whole || isObject(keys["payload"]))
		return !found && checked < 16
	})
	return found || codexOld(path, head)
}

// codexOld knows the rollouts of 2025 by their name and their first line.
func codexOld(path string, head []byte) bool {
	first := headKeys(head)
	return strings.HasPrefix(filepath.Base(path), "rollout-") && plain(first["id"]) != "" && plain(first["timestamp"]) != "" &&
		(first["instructions"] != nil || first["git"] != nil)
}

// Find looks where rollouts are and where old ones are put. One that is there
// twice counts once: plain before compressed.
func (codex) Find(home string, env func(string) string) ([]string, error) {
	root := cmp.Or(env("CODEX_HOME"), filepath.Join(home, ".codex"))
	var found []string
	seen := map[string]bool{}
	for _, ext := range []string{".jsonl", ".jsonl.zst"} {
		for _, dir := range []string{"sessions", "archived_sessions"} {
			paths, err := walk(filepath.Join(root, dir), func(rel string) bool {
				name := filepath.Base(rel)
				return strings.HasPrefix(name, "rollout-") && strings.HasSuffix(name, ext)
			})
			if err != nil {
				return found, err
			}
			for _, path := range paths {
				if name := strings.TrimSuffix(filepath.Base(path), ext); !seen[name] {
					seen[name] = true
					found = append(found, path)
				}
			}
		}
	}
	slices.Sort(found)
	return found, nil
}

// Read passes over the file twice: for the turns that were rolled back, and for the
// turns.
func (codex) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		gone, err := codexGone(ctx, path)
		if err != nil {
			return err
		}
		w.begin(process.Conversation{Agent: "codex", External: codexName(path)})
		e := codexEmitter{w: w, path: path, gone: gone, calls: calls{w: w}}
		err = lines(ctx, w, path, e.record)
		e.calls.drop()
		return err
	})
}

// codexName is the session as the file's name has it:
// rollout-2026-01-02T03-04-05-<uuid>.jsonl.
func codexName(path string) string {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".zst"), ".jsonl")
	if len(name) > 36 && uuidName.MatchString(name[len(name)-36:]) {
		return name[len(name)-36:]
	}
	return placeName(strings.TrimSuffix(path, ".zst"))
}

// codexTitle is the name that the user gave a session, from the list beside the
// folders of rollouts, where the last line of an id counts.
func codexTitle(path, id string) (title string) {
	dir := filepath.Dir(path)
	for range 5 {
		base := filepath.Base(dir)
		dir = filepath.Dir(dir)
		if base == "sessions" || base == "archived_sessions" {
			break
		}
	}
	for l := range bytes.Lines(beside(filepath.Join(dir, "session_index.jsonl"), 8<<20)) {
		var named struct {
			ID   string `json:"id"`
			Name string `json:"thread_name"`
		}
		if bytes.Contains(l, []byte(id)) && decode(l, &named) == nil && named.ID == id {
			title = named.Name
		}
	}
	return short(title, maxName)
}
