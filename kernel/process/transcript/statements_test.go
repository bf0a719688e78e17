package transcript

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/process"
)

// programElement and programText are what agents' programs write in the user's
// place, before or instead of the user's words.
var (
	programElement = regexp.MustCompile(`^\s*<((?:command|local-command|bash|system|session|environment|user|turn|ide|task)[-_][\w-]+)[ >]`)
	programText    = regexp.MustCompile(`^(\[Request interrupted|# AGENTS\.md instructions|Caveat: The messages below)`)
)

// statements count what users said in a file of a kind, by a pattern over the raw
// text and knowing nothing of the readers.
var statements = map[string]func(raw string) int{
	"specstory": func(raw string) int {
		n := 0
		blocks := regexp.MustCompile(`(?m)(?:\A|\n)_\*\*(User|Assistant|Agent|Tool)[^*\n]*\*\*_[ \t]*$`).FindAllStringSubmatchIndex(raw, -1)
		for i, b := range blocks {
			end := len(raw)
			if i+1 < len(blocks) {
				end = blocks[i+1][0]
			}
			if raw[b[2]:b[3]] == "User" && spoken(strings.Trim(raw[b[1]:end], " \t\r\n-")) {
				n++
			}
		}
		return n
	},
	"cursor": func(raw string) int { return count(raw, `(?m)^---\n\n\*\*User\*\*\n`) },
	"aider": func(raw string) int {
		return count(raw, `(?m)^####[^\n]*\n(?:(?:####[^\n]*)?\n)*`) - count(raw, `(?m)^####[^\n]*\(Y\)es/\(N\)o`)
	},
	"claude": func(raw string) int {
		return each(raw, func(r map[string]any) bool {
			m, _ := r["message"].(map[string]any)
			queued, _ := r["attachment"].(map[string]any)
			return r["type"] == "user" && r["isMeta"] != true && r["isCompactSummary"] != true && (r["isSidechain"] != true || r["agentId"] != nil) && spoken(textOf(m["content"])) ||
				queued["type"] == "queued_command" && spoken(textOf(queued["prompt"]))
		})
	},
	"codex": func(raw string) int {
		return each(raw, func(r map[string]any) bool {
			if p, ok := r["payload"].(map[string]any); ok {
				r = p
			}
			return r["type"] == "message" && r["role"] == "user" && spoken(textOf(r["content"]))
		})
	},
	"gemini": func(raw string) int {
		return each(raw, func(r map[string]any) bool { return r["type"] == "user" && spoken(textOf(r["content"])) })
	},
	"antigravity": func(raw string) int { return count(raw, `"type":"USER_INPUT"`) },
	"openai": func(raw string) int {
		return each(raw, func(r map[string]any) bool {
			content := r["content"]
			if m, ok := r["message"].(map[string]any); ok {
				content = m["content"]
			}
			return (r["role"] == "user" || r["role"] == "human") && spoken(textOf(content))
		})
	},
	"opencode": func(raw string) int { return count(raw, `"role": ?"user"`) },
	"rnix":     func(raw string) int { return count(raw, `"role": ?"user"`) },
	"copilot": func(raw string) int {
		return count(raw, `"message": ?[{"]`) - count(raw, `"isSystemInitiated": ?true|"shouldBeRemovedOnSend": ?\{`) + count(raw, `"kind": ?"questionCarousel"`)
	},
	"cline": func(raw string) int {
		return count(raw, `"say":"(task|user_feedback)"`) + count(raw, `\A\[\{"ts":\d+,"type":"say","say":"text"`) + count(raw, `\\"selected\\":`)
	},
	"sweagent": func(raw string) int { // the task: all else that has the role is what was observed
		return min(1, each(raw, func(r map[string]any) bool {
			return r["role"] == "user" && r["is_demo"] != true && spoken(textOf(r["content"]))
		}))
	},
}

func count(raw, pattern string) int { return len(regexp.MustCompile(pattern).FindAllString(raw, -1)) }

func spoken(text string) bool {
	for m := programElement.FindStringSubmatch(text); m != nil && m[1] != "user_query"; m = programElement.FindStringSubmatch(text) {
		_, text, _ = strings.Cut(text, "</"+m[1]+">")
	}
	text = strings.TrimSpace(text)
	return text != "" && !programText.MatchString(text)
}

// textOf is the text of a message's content.
func textOf(content any) (text string) {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		for _, part := range c {
			text += textOf(part)
		}
	case map[string]any:
		if s, ok := c["text"].(string); ok {
			return s
		}
	}
	return text
}

// each counts the objects anywhere in a file of JSON or JSONL that f wants. The
// messages of an object that it wants are not looked into.
func each(raw string, f func(map[string]any) bool) (n int) {
	var look func(v any)
	look = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				look(e)
			}
		case map[string]any:
			if f(v) {
				n++
				return
			}
			for _, e := range v {
				look(e)
			}
		}
	}
	dec := json.NewDecoder(strings.NewReader(strings.TrimPrefix(raw, "\xef\xbb\xbf")))
	for {
		var v any
		if dec.Decode(&v) != nil {
			return n
		}
		look(v)
	}
}

func userTurns(h history) (n int) {
	for _, c := range h.conversations {
		for _, t := range c.Turns {
			if t.Role == process.RoleUser {
				n++
			}
		}
	}
	return n
}

// TestNoStatementLost counts the statements of users in the examples. Some were taken
// back by the user, or only seem to be the user's.
func TestNoStatementLost(t *testing.T) {
	taken := map[string]int{
		"specstory/mill/.specstory/history/2025-04-28_16-54-grain-is-wet.md": 1, // quoted in code
		"specstory/mill/.specstory/history/2026-02-17_18-26-27Z-new-form.md": 1,
		"opencode/export.json": 1, // reverted
		"claude/-home-ada-harbour/5b1c2f6e-0c1e-4b8e-9a53-2f1a6f0f7a01.jsonl":                              2, // rewound, and a sub-agent
		"codex/sessions/2026/04/02/rollout-2026-04-02T08-00-00-019d0000-1111-7222-8333-444455556666.jsonl": 1,
		"gemini/.gemini/tmp/loom/chats/session-2026-05-01T07-00-0a0b0c0d.jsonl":                            1,
		"gemini/.gemini/tmp/loom/chats/0a0b0c0d-0000-4000-8000-000000000001/helper-1.jsonl":                1,
		"rnix/3e3e3e3e-1111-4222-8333-444455556666/steps.jsonl":                                            1, // in two prompts
		"aider/architect/.aider.chat.history.md":                                                           1, // the plan
	}
	for _, f := range Formats() {
		for _, path := range examples(t, f.Name()) {
			if filepath.Base(path) == clineSent {
				continue // the file beside it is read
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			want := statements[f.Name()](string(raw)) - taken[strings.TrimPrefix(path, "testdata/")]
			if got := userTurns(take(t, f, path)); got != want {
				t.Errorf("%s: read %d, counted %d", path, got, want)
			}
		}
	}
}

// TestNoRealStatementLost does the same for the real files of RNIXFS_EVAL_DATA, where
// nothing is taken off.
func TestNoRealStatementLost(t *testing.T) {
	root := os.Getenv("RNIXFS_EVAL_DATA")
	if root == "" {
		t.Skip("RNIXFS_EVAL_DATA is not set")
	}
	files, all := map[string]int{}, 0
	for _, pattern := range []string{"agents/*/*", "histories/*/*"} {
		paths, err := filepath.Glob(filepath.Join(root, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			f, err := Detect(path)
			if err != nil {
				t.Logf("%s: %v", filepath.Base(path), err)
				continue
			}
			raw, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, want := userTurns(take(t, f, path)), statements[f.Name()](string(raw))
			if got != want {
				t.Errorf("%s: read %d, counted %d", strings.TrimPrefix(path, root), got, want)
			}
			files[f.Name()]++
			all += got
		}
	}
	t.Logf("%v files, %d statements", files, all)
}
