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

// sweagent reads the trajectories of SWE-agent: one JSON document with the
// messages of the model ("history") and the steps ("trajectory").
type sweagent struct{}

type sweMessage struct {
	Role    string          `json:"role"`
	Content json.RawMessage `json:"content"`
	Thought string          `json:"thought"`
	Action  string          `json:"action"`
	Demo    bool            `json:"is_demo"`
	Calls   []struct {
		Function struct {
			Name string `json:"name"`
		} `json:"function"`
	} `json:"tool_calls"`
}

type sweStep struct {
	Action      string `json:"action"`
	Observation string `json:"observation"`
	Response    string `json:"response"`
	Thought     string `json:"thought"`
}

func (sweagent) Name() string { return "sweagent" }

// Detect wants the steps, or the messages in a file of that name.
func (sweagent) Detect(path string, head []byte) bool {
	keys := headKeys(head)
	_, steps := keys["trajectory"]
	_, history := keys["history"]
	if !steps && !(history && filepath.Ext(path) == ".traj") {
		return false
	}
	return bytes.Contains(head, []byte(`"role"`)) || bytes.Contains(head, []byte(`"observation"`)) || bytes.Contains(head, []byte(`"action"`))
}

// Find knows no place: trajectories lie where a run was told to put them.
func (sweagent) Find(string, func(string) string) ([]string, error) { return nil, nil }

// Read takes the messages, or where there are none the steps. The working
// directory is one of a container and is no project.
func (sweagent) Read(ctx context.Context, path string) iter.Seq2[process.Transcript, error] {
	return read(func(w *writer) error {
		var doc struct {
			History    []sweMessage    `json:"history"`
			Trajectory []sweStep       `json:"trajectory"`
			Replay     json.RawMessage `json:"replay_config"`
			Info       struct {
				Exit string `json:"exit_status"`
			} `json:"info"`
		}
		if err := decodeDocument(path, &doc); err != nil {
			return err
		}
		name := filepath.Base(path)
		w.begin(process.Conversation{
			Agent: "sweagent", External: placeName(path), Model: sweModel(doc.Replay),
			Title: short(strings.TrimSuffix(name, filepath.Ext(name)), maxName), ExitReason: short(doc.Info.Exit, maxName),
		})
		if len(doc.History) == 0 {
			for _, s := range doc.Trajectory {
				doc.History = append(doc.History, s.messages()...)
			}
		}
		var e sweEmitter
		for _, m := range doc.History {
			if ctx.Err() != nil || !e.message(w, m) {
				return ctx.Err()
			}
		}
		e.act(w, "") // the last action ends the run: nothing was observed
		return nil
	})
}

func (s sweStep) messages() []sweMessage {
	said, err := json.Marshal(s.Response)
	seen, err2 := json.Marshal(s.Observation)
	if err != nil || err2 != nil {
		return nil
	}
	return []sweMessage{{Role: "assistant", Content: said, Thought: s.Thought, Action: s.Action}, {Role: "tool", Content: seen}}
}

func sweModel(replay json.RawMessage) string {
	var config struct {
		Agent struct {
			Model struct {
				Name string `json:"name"`
			} `json:"model"`
		} `json:"agent"`
	}
	_ = decode([]byte(plain(replay)), &config) // it is JSON within JSON, or not there
	return short(config.Agent.Model.Name, maxName)
}

// sweEmitter pairs an action with its observation.
type sweEmitter struct{ name, args string }

func (e *sweEmitter) message(w *writer, m sweMessage) bool {
	text := texts(m.Content)
	switch {
	case m.Demo || m.Role == "system":
		return true // the same in each run: instructions and an example
	case m.Role == "assistant":
		if !e.act(w, "") {
			return false
		}
		e.name, e.args = sweAction(m)
		return w.add(process.Turn{Role: process.RoleAssistant, Content: said(cmp.Or(m.Thought, text))})
	case e.name != "":
		return e.act(w, text)
	case m.Role == "user":
		return w.add(process.Turn{Role: process.RoleUser, Content: said(text)})
	case m.Role == "tool":
		return w.add(process.Turn{Role: process.RoleTool, Tool: "tool", Content: called("tool", "", swePrompt(text))})
	}
	w.skipped.unknown("role", m.Role)
	return true
}

// act adds the waiting action with its observation.
func (e *sweEmitter) act(w *writer, observed string) bool {
	if e.name == "" {
		return true
	}
	t := process.Turn{Role: process.RoleTool, Tool: e.name, Content: called(e.name, e.args, swePrompt(observed))}
	e.name, e.args = "", ""
	return w.add(t)
}

var sweCommand = regexp.MustCompile(`^([A-Za-z_][\w.-]*)\s*`)

// sweAction names the tool of an action: the tool called, or the command's first
// word.
func sweAction(m sweMessage) (name, args string) {
	action := clean(m.Action)
	if action == "" {
		return "", ""
	}
	rest := action
	if word := sweCommand.FindStringSubmatch(action); word != nil {
		name, rest = word[1], action[len(word[0]):]
	}
	if len(m.Calls) == 1 && m.Calls[0].Function.Name != "" && m.Calls[0].Function.Name != name {
		return m.Calls[0].Function.Name, short(action, maxArgs)
	}
	if name == "" {
		return "shell", short(action, maxArgs)
	}
	return name, short(rest, maxArgs)
}

// sweShell is the prompt that follows each observation.
var sweShell = regexp.MustCompile(`(?:\n?\(Open file: [^\n]*\))?(?:\n?\(Current directory: [^\n]*\))?\n?bash-\$$`)

func swePrompt(s string) string {
	s = clean(s)
	if len(s) > 4096 { // the prompt is at the end
		return s[:len(s)-1024] + sweShell.ReplaceAllString(s[len(s)-1024:], "")
	}
	return sweShell.ReplaceAllString(s, "")
}
