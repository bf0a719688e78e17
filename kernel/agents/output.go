package agents

import (
	"bytes"
	"encoding/json"
)

// answer is the part of a hook's output that most agents share.
type answer struct {
	Specific specific `json:"hookSpecificOutput"`
}

type specific struct {
	Event   string `json:"hookEventName"`
	Context string `json:"additionalContext"`
}

// Output returns what to print for an event, a line of JSON or nothing; text is
// what the model is to be shown.
//
// Claude Code and Codex take no output for "go on"; Codex fails a hook whose
// output looks like JSON and is none (output_parser.rs, looks_like_json), and one
// of Stop that is not JSON at all. Gemini CLI wants JSON and nothing else on
// standard output; {} says nothing. None of them needs "continue": true, which is
// the default of all (docs/hooks/reference.md; schema HookUniversalOutputWire).
// Antigravity wants JSON, too; a session is shown memory at each call of the model, for
// as long as that call. Text goes only to events that take additionalContext: Claude Code refuses it in
// Stop, SubagentStop and PreCompact.
func (a *Agent) Output(event, text string) []byte {
	if kind := a.Kind(event); text == "" || kind != KindStart && kind != KindPrompt {
		if a.always {
			return []byte("{}\n")
		}
		return nil
	}
	if a.bare { // the message is for one call of the model, and is not kept
		return append(compact(map[string]any{"injectSteps": []any{map[string]any{"ephemeralMessage": text}}}), '\n')
	}
	return append(compact(answer{specific{event, text}}), '\n')
}

// compact is JSON in which <, > and & stand as they are, of values that always encode.
func compact(v any) []byte {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	_ = enc.Encode(v)
	return bytes.TrimSpace(b.Bytes())
}
