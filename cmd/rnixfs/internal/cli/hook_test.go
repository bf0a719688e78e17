package cli

import (
	"context"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/writeback/llm"
	"github.com/rnixfs/rnixfs/kernel/writeback/spool"
)

// newHook returns a hook that notes what it hands over.
func newHook(jobs *[]spool.Job) hook {
	return hook{
		home:   "/home/u",
		getenv: func(name string) string { return map[string]string{"RNIX_SESSION": "run-1"}[name] },
		now:    func() time.Time { return time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC) },
		handOver: func(_ context.Context, job spool.Job) error {
			*jobs = append(*jobs, job)
			return nil
		},
		context: func(_ context.Context, dir string) (string, error) { return "memory of " + dir + "\n", nil },
		search:  func(_ context.Context, dir, query, _ string) (string, error) { return "found " + query, nil },
	}
}

// The payloads are as the agents document them; see package agents.
const (
	claudeCommon = `"session_id":"5c1f","transcript_path":"/home/u/.claude/projects/-p/5c1f.jsonl","cwd":"/p","permission_mode":"default",`
	codexCommon  = `"cwd":"/p","model":"gpt","permission_mode":"default","session_id":"0199","transcript_path":"/home/u/.codex/sessions/2026/01/02/rollout-0199.jsonl","turn_id":"1",`
	geminiCommon = `"session_id":"ab12","transcript_path":"/home/u/.gemini/tmp/p/chats/session-ab12.jsonl","cwd":"/p","timestamp":"2026-01-02T03:04:05Z",`
)

// sender is the agent whose payload it is.
func sender(payload string) []string {
	for agent, common := range map[string]string{"claude": claudeCommon, "codex": codexCommon, "gemini": geminiCommon} {
		if strings.Contains(payload, common) {
			return []string{agent}
		}
	}
	return nil
}

func TestHookEvents(t *testing.T) {
	const (
		start = `{"hookSpecificOutput":{"hookEventName":"SessionStart","additionalContext":"memory of /p\n"}}` + "\n"
		empty = "{}\n"
	)
	job := func(agent, event string, more func(*spool.Job)) []spool.Job {
		j := spool.Job{Agent: agent, Event: event, Session: "run-1", Project: "/p", End: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), UID: uint32(os.Getuid())}
		switch agent {
		case "claude":
			j.External, j.Transcript = "5c1f", "/home/u/.claude/projects/-p/5c1f.jsonl"
		case "codex":
			j.External, j.Transcript = "0199", "/home/u/.codex/sessions/2026/01/02/rollout-0199.jsonl"
		case "gemini":
			j.External, j.Transcript = "ab12", "/home/u/.gemini/tmp/p/chats/session-ab12.jsonl"
		}
		if more != nil {
			more(&j)
		}
		return []spool.Job{j}
	}
	reason := func(why string) func(*spool.Job) { return func(j *spool.Job) { j.Reason = why } }
	for _, tc := range []struct {
		args, payload, out string
		jobs               []spool.Job
	}{
		{"claude", `{` + claudeCommon + `"hook_event_name":"SessionStart","source":"startup","model":"m"}`, start, nil},
		{"claude", `{` + claudeCommon + `"hook_event_name":"SessionStart","source":"compact"}`, start, nil},
		{"claude", `{` + claudeCommon + `"hook_event_name":"UserPromptSubmit","prompt":"how"}`, "", nil},
		{"claude", `{` + claudeCommon + `"hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"done"}`, "", job("claude", "Stop", nil)},
		{"claude", `{` + claudeCommon + `"hook_event_name":"Stop","stop_hook_active":true}`, "", job("claude", "Stop", nil)},
		{"claude", `{` + claudeCommon + `"hook_event_name":"SubagentStop","agent_id":"a7","agent_type":"Explore","agent_transcript_path":"/home/u/.claude/projects/-p/5c1f/subagents/agent-a7.jsonl"}`, "", job("claude", "SubagentStop", func(j *spool.Job) {
			j.Subagent, j.Transcript = "a7", "/home/u/.claude/projects/-p/5c1f/subagents/agent-a7.jsonl"
		})},
		{"claude", `{` + claudeCommon + `"hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}`, "", job("claude", "PreCompact", reason("auto"))},
		{"claude", `{` + claudeCommon + `"hook_event_name":"SessionEnd","reason":"prompt_input_exit"}`, "", job("claude", "SessionEnd", reason("prompt_input_exit"))},
		{"claude SessionEnd", `{` + claudeCommon + `"reason":"logout"}`, "", job("claude", "SessionEnd", reason("logout"))},

		{"codex", `{` + codexCommon + `"hook_event_name":"SessionStart","source":"startup"}`, start, nil},
		{"codex", `{` + codexCommon + `"hook_event_name":"UserPromptSubmit","prompt":"how"}`, "", nil},
		{"codex", `{` + codexCommon + `"hook_event_name":"Stop","last_assistant_message":null,"stop_hook_active":false}`, "", job("codex", "Stop", nil)},
		{"codex", `{` + codexCommon + `"hook_event_name":"SubagentStop","agent_id":"b1","agent_type":"x","agent_transcript_path":null,"last_assistant_message":"m","stop_hook_active":true}`, "", job("codex", "SubagentStop", nil)},
		{"codex", `{` + codexCommon + `"hook_event_name":"PreCompact","trigger":"manual"}`, "", job("codex", "PreCompact", reason("manual"))},

		{"gemini", `{` + geminiCommon + `"hook_event_name":"SessionStart","source":"resume"}`, start, nil},
		{"gemini", `{` + geminiCommon + `"hook_event_name":"BeforeAgent","prompt":"how"}`, empty, nil},
		{"gemini", `{` + geminiCommon + `"hook_event_name":"AfterAgent","prompt":"how","prompt_response":"so","stop_hook_active":false}`, empty, job("gemini", "AfterAgent", nil)},
		{"gemini", `{` + geminiCommon + `"hook_event_name":"PreCompress","trigger":"auto"}`, empty, job("gemini", "PreCompress", reason("auto"))},
		{"gemini", `{` + geminiCommon + `"hook_event_name":"SessionEnd","reason":"exit"}`, empty, job("gemini", "SessionEnd", reason("exit"))},
	} {
		var jobs []spool.Job
		out, _, err := newHook(&jobs).answer(context.Background(), strings.Fields(tc.args), strings.NewReader(tc.payload))
		if err != nil {
			t.Errorf("%s %s: %v", tc.args, tc.payload, err)
		}
		if diff := cmp.Diff(tc.out, string(out)); diff != "" {
			t.Errorf("%s %s: output\n%s", tc.args, tc.payload, diff)
		}
		if diff := cmp.Diff(tc.jobs, jobs); diff != "" {
			t.Errorf("%s %s: jobs\n%s", tc.args, tc.payload, diff)
		}
	}
}

// TestHookFails: whatever happens, nothing is printed that the agent would take
// for something else.
func TestHookFails(t *testing.T) {
	for name, tc := range map[string]struct {
		args, payload, out string
		fault              func(*hook)
	}{
		"nothing":             {args: "claude", payload: ""},
		"nothing, for Gemini": {args: "gemini", payload: "", out: "{}\n"},
		"no JSON":             {args: "codex", payload: "hello"},
		"cut off":             {args: "gemini", payload: `{"session_id":"s`, out: "{}\n"},
		"no object":           {args: "claude", payload: `[1]`},
		"unknown agent":       {args: "other", payload: `{"hook_event_name":"Stop"}`},
		"unknown event":       {args: "claude", payload: `{` + claudeCommon + `"hook_event_name":"PreToolUse"}`},
		"unknown, for Gemini": {args: "gemini", payload: `{` + geminiCommon + `"hook_event_name":"BeforeModel"}`, out: "{}\n"},
		"no event":            {args: "claude", payload: `{}`},
		"no agent":            {payload: `{"hook_event_name":"Other"}`},
		"no conversation":     {args: "claude", payload: `{"hook_event_name":"Stop"}`},
		"the spool fails":     {args: "claude", payload: `{` + claudeCommon + `"hook_event_name":"Stop"}`, fault: func(h *hook) { h.handOver = func(context.Context, spool.Job) error { return errors.New("disk") } }},
		"the store fails": {args: "gemini", payload: `{` + geminiCommon + `"hook_event_name":"SessionStart"}`, out: "{}\n", fault: func(h *hook) {
			h.context = func(context.Context, string) (string, error) { return "", errors.New("store") }
		}},
		"a panic":              {args: "claude", payload: `{` + claudeCommon + `"hook_event_name":"Stop"}`, fault: func(h *hook) { h.handOver = nil }},
		"a panic, for Gemini":  {args: "gemini", payload: `{` + geminiCommon + `"hook_event_name":"SessionEnd"}`, out: "{}\n", fault: func(h *hook) { h.handOver = nil }},
		"a panic in the store": {args: "codex", payload: `{` + codexCommon + `"hook_event_name":"SessionStart"}`, fault: func(h *hook) { h.context = nil }},
	} {
		var jobs []spool.Job
		h := newHook(&jobs)
		if tc.fault != nil {
			tc.fault(&h)
		}
		out, _, err := h.answer(context.Background(), strings.Fields(tc.args), strings.NewReader(tc.payload))
		if string(out) != tc.out || err == nil || len(jobs) > 0 {
			t.Errorf("%s: output %q, error %v, jobs %v", name, out, err, jobs)
		}
	}
}

func TestHookRecall(t *testing.T) {
	h := newHook(nil)
	h.recall = true
	for payload, want := range map[string]string{
		`{` + claudeCommon + `"hook_event_name":"UserPromptSubmit","prompt":"how"}`: `{"hookSpecificOutput":{"hookEventName":"UserPromptSubmit","additionalContext":"found how"}}` + "\n",
		`{` + claudeCommon + `"hook_event_name":"UserPromptSubmit","prompt":" "}`:   "",
		`{` + geminiCommon + `"hook_event_name":"BeforeAgent","prompt":"how"}`:      `{"hookSpecificOutput":{"hookEventName":"BeforeAgent","additionalContext":"found how"}}` + "\n",
	} {
		out, _, err := h.answer(context.Background(), sender(payload), strings.NewReader(payload))
		if err != nil || string(out) != want {
			t.Errorf("%s: %q, %v", payload, out, err)
		}
	}
}

func TestHookOff(t *testing.T) {
	for _, off := range []map[string]string{{"RNIX_HOOKS": "off"}, {llm.Own: "tag"}} { // the second: a program that a model is asked by
		testHookOff(t, off)
	}
}

func testHookOff(t *testing.T, env map[string]string) {
	var jobs []spool.Job
	h := newHook(&jobs)
	h.getenv = func(name string) string { return env[name] }
	for payload, want := range map[string]string{
		`{` + claudeCommon + `"hook_event_name":"SessionStart"}`: "",
		`{` + claudeCommon + `"hook_event_name":"Stop"}`:         "",
		`{` + geminiCommon + `"hook_event_name":"AfterAgent"}`:   "{}\n",
	} {
		out, _, err := h.answer(context.Background(), sender(payload), strings.NewReader(payload))
		if err != nil || string(out) != want || len(jobs) > 0 {
			t.Errorf("%s: %q, %v, %v", payload, out, err, jobs)
		}
	}
}

// TestHookProject: a conversation belongs to where its session began, if the agent
// says that, else to the event's directory.
func TestHookProject(t *testing.T) {
	for _, tc := range []struct{ env, at, payload, want string }{
		{"CLAUDE_PROJECT_DIR", "/began", `{` + claudeCommon + `"hook_event_name":"Stop"}`, "/began"},
		{"CLAUDE_PROJECT_DIR", "began", `{` + claudeCommon + `"hook_event_name":"Stop"}`, "/p"},
		{"CLAUDE_PROJECT_DIR", "/began", `{` + codexCommon + `"hook_event_name":"Stop"}`, "/p"},
		{"GEMINI_PROJECT_DIR", "/began", `{` + geminiCommon + `"hook_event_name":"AfterAgent"}`, "/began"},
		{"", "/began", `{` + codexCommon + `"hook_event_name":"Stop"}`, "/p"},
	} {
		var jobs []spool.Job
		h := newHook(&jobs)
		h.getenv = func(name string) string { return map[string]string{tc.env: tc.at}[name] }
		if _, _, err := h.answer(context.Background(), sender(tc.payload), strings.NewReader(tc.payload)); err != nil || len(jobs) != 1 || jobs[0].Project != tc.want {
			t.Errorf("%s=%s %s: %+v, %v", tc.env, tc.at, tc.payload, jobs, err)
		}
	}
}

// TestPatient: an agent that opens standard input and writes nothing is not
// waited for.
func TestPatient(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	_, err = patient{r, 20 * time.Millisecond}.Read(make([]byte, 1))
	if memory.KindOf(err) != memory.KindTimeout {
		t.Errorf("error %v", err)
	}
}
