package agents

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRead(t *testing.T) {
	for name, tc := range map[string]struct {
		in   string
		want Payload
	}{
		"Claude Code, Stop": {
			`{"session_id":"s-1","transcript_path":"/h/.claude/projects/-p/s-1.jsonl","cwd":"/p","permission_mode":"default","hook_event_name":"Stop","stop_hook_active":true,"last_assistant_message":"done"}`,
			Payload{Event: "Stop", Session: "s-1", Transcript: "/h/.claude/projects/-p/s-1.jsonl", Cwd: "/p"},
		},
		"Claude Code, SubagentStop": {
			`{"session_id":"s-1","transcript_path":"/h/s-1.jsonl","cwd":"/p","hook_event_name":"SubagentStop","agent_id":"a7","agent_type":"Explore","agent_transcript_path":"~/.claude/projects/-p/s-1/subagents/agent-a7.jsonl"}`,
			Payload{Event: "SubagentStop", Session: "s-1", Transcript: "/h/.claude/projects/-p/s-1/subagents/agent-a7.jsonl", Subagent: "a7", Cwd: "/p"},
		},
		"Claude Code, SessionEnd": {`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"SessionEnd","reason":"prompt_input_exit"}`, Payload{Event: "SessionEnd", Session: "s", Transcript: "/t", Cwd: "/p", Reason: "prompt_input_exit"}},
		"Claude Code, PreCompact": {`{"session_id":"s","transcript_path":"/t","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}`, Payload{Event: "PreCompact", Session: "s", Transcript: "/t", Reason: "auto"}},
		"Codex, no transcript":    {`{"cwd":"/p","hook_event_name":"Stop","last_assistant_message":null,"model":"m","permission_mode":"default","session_id":"u","stop_hook_active":false,"transcript_path":null,"turn_id":"1"}`, Payload{Event: "Stop", Session: "u", Cwd: "/p"}},
		"Gemini CLI, BeforeAgent": {`{"session_id":"g","transcript_path":"/h/.gemini/tmp/x/chats/s.json","cwd":"/p","hook_event_name":"BeforeAgent","timestamp":"2026-01-01T00:00:00Z","prompt":"hi"}`, Payload{Event: "BeforeAgent", Session: "g", Transcript: "/h/.gemini/tmp/x/chats/s.json", Cwd: "/p", Prompt: "hi"}},
		"Antigravity, Stop": {
			`{"conversationId":"c-1","transcriptPath":"/h/.gemini/antigravity-cli/brain/c-1/.system_generated/logs/transcript.jsonl","workspacePaths":["/p","/q"],"executionNum":1,"terminationReason":"model_stop","fullyIdle":true,"modelName":"m"}`,
			Payload{Session: "c-1", Transcript: "/h/.gemini/antigravity-cli/brain/c-1/.system_generated/logs/transcript.jsonl", Cwd: "/p"},
		},
		"Antigravity, nowhere":     {`{"conversationId":"c","workspacePaths":[],"invocationNum":0}`, Payload{Session: "c"}},
		"other types":              {`{"session_id":7,"transcript_path":["/t"],"cwd":{},"hook_event_name":"Stop"}`, Payload{Event: "Stop"}},
		"relative paths":           {`{"transcript_path":"t.jsonl","cwd":"../x","hook_event_name":"Stop"}`, Payload{Event: "Stop"}},
		"unknown fields, and more": {`{"new":{"deep":[1]},"hook_event_name":"Stop"} trailing`, Payload{Event: "Stop"}},
	} {
		got, err := Read(strings.NewReader(tc.in), "/h")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s:\n%s", name, diff)
		}
	}
}

func TestReadBad(t *testing.T) {
	for _, in := range []string{"", " ", "null", "[]", `"x"`, "{", `{"session_id":"s","x"`, `{"session_id":"secret}`, "\x00", `{"a":1,}`} {
		if p, err := Read(strings.NewReader(in), ""); err == nil {
			t.Errorf("%q: no error, %+v", in, p)
		} else if strings.Contains(err.Error(), "secret") {
			t.Errorf("%q: the error quotes it: %v", in, err)
		}
	}
}

// TestReadLong: what stands before a text that is too long is enough.
func TestReadLong(t *testing.T) {
	long := strings.Repeat("x", 2*MaxPayload)
	p, err := Read(strings.NewReader(`{"session_id":"s","transcript_path":"/t","cwd":"/p","hook_event_name":"AfterAgent","prompt_response":"`+long+`"}`), "")
	want := Payload{Event: "AfterAgent", Session: "s", Transcript: "/t", Cwd: "/p", Cut: true}
	if diff := cmp.Diff(want, p); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
	if _, err := Read(strings.NewReader(`{"prompt":"`+long+`"}`), ""); err == nil {
		t.Error("nothing but a text that is too long is no error")
	}
}

// TestReadOpen: an agent that keeps its end open is not waited for.
func TestReadOpen(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, `{"hook_event_name":"Stop"}`)
	if p, err := Read(r, ""); err != nil || p.Event != "Stop" {
		t.Errorf("%+v, %v", p, err)
	}
}

// TestOutput holds what is printed to what the agents' documents ask for.
func TestOutput(t *testing.T) {
	const text = "a <b> & \"c\"\n"
	for _, a := range table {
		for event, kind := range a.events {
			for _, said := range []string{"", text} {
				got := a.Output(event, said)
				switch {
				case said != "" && (kind == KindStart || kind == KindPrompt):
					want := `{"injectSteps":[{"ephemeralMessage":"a <b> & \"c\"\n"}]}` + "\n"
					if !a.bare {
						want = `{"hookSpecificOutput":{"hookEventName":"` + event + `","additionalContext":"a <b> & \"c\"\n"}}` + "\n"
					}
					if string(got) != want || !json.Valid(got) {
						t.Errorf("%s, %s: %s", a.Name, event, got)
					}
				case a.Name == "gemini" || a.Name == "antigravity":
					if string(got) != "{}\n" {
						t.Errorf("%s, %s: %s", a.Name, event, got)
					}
				case len(got) > 0:
					t.Errorf("%s, %s: %s", a.Name, event, got)
				}
			}
		}
		if got := a.Output("Unknown", text); len(bytes.Trim(got, "{}\n")) > 0 {
			t.Errorf("%s, an unknown event: %s", a.Name, got)
		}
	}
}

func TestOfCommand(t *testing.T) {
	for path, want := range map[string]string{
		"claude": "claude", "/usr/bin/codex": "codex", "./gemini.js": "gemini", "aider": "aider", "/opt/agy": "antigravity", "opencode": "opencode", "bash": "", "claudette": "", "": "",
	} {
		if got := OfCommand(path); got != want {
			t.Errorf("%q: %q, want %q", path, got, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"session_id":"s","hook_event_name":"Stop"}`))
	f.Add([]byte(`{"a":[{"b":null}],`))
	f.Fuzz(func(t *testing.T, in []byte) {
		p, err := Read(bytes.NewReader(in), "/h")
		if err == nil && p.Transcript != "" && p.Transcript[0] != '/' {
			t.Errorf("%q: %+v", in, p)
		}
	})
}
