package agents

import (
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// MaxPayload bounds the bytes that are read of an event.
const MaxPayload = 1 << 20

// Payload is what an event brings, as far as it is used. A field that is not
// there, null or of another type than documented is "" or false.
type Payload struct {
	Event      string // hook_event_name
	Session    string // the agent's id of the conversation
	Transcript string // absolute path, or ""
	Subagent   string // id of the sub-agent whose transcript it is, or ""
	Cwd        string // absolute path, or ""
	Reason     string // why a session ended, or what triggered a compaction
	Prompt     string
	Cut        bool // it was longer than MaxPayload: fields may be missing
}

// Read reads one payload. It ends with the closing brace, whether or not the
// writer closes its end. Bytes after MaxPayload are left out, not refused: the long
// fields are texts that are not used.
func Read(r io.Reader, home string) (Payload, error) {
	limited := &io.LimitedReader{R: r, N: MaxPayload}
	fields, err := readFields(json.NewDecoder(limited))
	p := Payload{Cut: err != nil && limited.N <= 0}
	if err != nil && (!p.Cut || len(fields) == 0) {
		return p, err
	}
	text := func(names ...string) string { // Antigravity's is the second
		var s string
		for _, name := range names {
			if s == "" {
				_ = json.Unmarshal(fields[name], &s) // another type: not given
			}
		}
		return s
	}
	var workspaces []string
	if json.Unmarshal(fields["workspacePaths"], &workspaces) == nil && len(workspaces) > 0 {
		fields["workspacePaths"] = compact(workspaces[0])
	}
	path := func(names ...string) string {
		at := text(names...)
		if rest, ok := strings.CutPrefix(at, "~/"); ok && home != "" {
			at = filepath.Join(home, rest)
		}
		if !filepath.IsAbs(at) || strings.ContainsRune(at, 0) {
			return ""
		}
		return filepath.Clean(at)
	}
	p.Event, p.Session, p.Cwd = text("hook_event_name"), text("session_id", "conversationId"), path("cwd", "workspacePaths")
	p.Prompt = text("prompt")
	p.Transcript = path("transcript_path", "transcriptPath")
	if sub := path("agent_transcript_path"); sub != "" {
		p.Transcript, p.Subagent = sub, text("agent_id")
	}
	if p.Reason = text("reason"); p.Reason == "" {
		p.Reason = text("trigger")
	}
	return p, nil
}

// readFields reads the fields of one object, as far as it goes.
func readFields(d *json.Decoder) (map[string]json.RawMessage, error) {
	open, err := d.Token()
	switch {
	case errors.Is(err, io.EOF):
		return nil, memory.Errorf(memory.KindInvalid, "read event", "nothing on standard input")
	case err != nil:
		return nil, notJSON(err)
	case open != json.Delim('{'):
		return nil, memory.Errorf(memory.KindInvalid, "read event", "not a JSON object")
	}
	fields := map[string]json.RawMessage{}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			return fields, notJSON(err)
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return fields, notJSON(err)
		}
		if name, ok := key.(string); ok {
			fields[name] = value
		}
	}
	if _, err := d.Token(); err != nil {
		return fields, notJSON(err)
	}
	return fields, nil
}

// notJSON leaves out the decoder's words: they can quote the payload.
func notJSON(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return memory.Errorf(memory.KindInvalid, "read event", "not JSON, at byte %d", syntax.Offset)
	}
	return memory.Errorf(memory.KindInvalid, "read event", "not JSON, or cut off")
}
