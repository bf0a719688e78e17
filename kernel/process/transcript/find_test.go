package transcript

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// home makes files, and returns the root that they are below.
func home(t *testing.T, files ...string) string {
	t.Helper()
	root := t.TempDir()
	for _, name := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		store(t, path, []byte("{}"))
	}
	return root
}

func TestFind(t *testing.T) {
	root := home(t,
		".claude/projects/-a/one.jsonl", ".claude/projects/-a/one/subagents/agent-1.jsonl",
		".claude/projects/-a/one/subagents/workflows/w/agent-2.jsonl", ".claude/projects/-a/one/subagents/agent-1.meta.json",
		".claude/projects/-a/one/tool-results/x.jsonl", ".claude/projects/-a/memory/MEMORY.md", ".claude/history.jsonl",
		".codex/sessions/2026/01/02/rollout-a.jsonl", ".codex/sessions/2026/01/02/rollout-a.jsonl.zst",
		".codex/sessions/2026/01/03/rollout-b.jsonl.zst", ".codex/archived_sessions/rollout-c.jsonl",
		".codex/archived_sessions/rollout-b.jsonl", ".codex/history.jsonl", ".codex/sessions/notes.jsonl",
		".gemini/tmp/p/chats/session-1.jsonl", ".gemini/tmp/p/chats/parent/sub.jsonl", ".gemini/tmp/p/chats/session-2.json",
		".gemini/tmp/p/chats/other.jsonl", ".gemini/tmp/p/logs.json", ".gemini/projects.json",
		".gemini/antigravity-cli/brain/u/.system_generated/logs/transcript.jsonl", ".gemini/antigravity-cli/brain/u/.system_generated/logs/transcript_full.jsonl",
		".gemini/antigravity/brain/v/.system_generated/logs/transcript.jsonl", ".gemini/antigravity-cli/history.jsonl",
		".local/share/opencode/opencode.db", ".local/share/opencode/opencode-beta.db", ".local/share/opencode/opencode.db-wal",
		".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json",
		".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/1/api_conversation_history.json",
		".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/2/ui_messages.json",
		".cursor/projects/s/agent-transcripts/u/u.jsonl", ".cursor/projects/s/mcp.json",
		"work/.aider.chat.history.md", "work/.specstory/history/a.md", "work/.specstory/history/a.json", "work/deep/.aider.chat.history.md",
	)
	env := map[string]string{"PWD": filepath.Join(root, "work")}
	want := map[string][]string{
		"claude": {".claude/projects/-a/one.jsonl", ".claude/projects/-a/one/subagents/agent-1.jsonl", ".claude/projects/-a/one/subagents/workflows/w/agent-2.jsonl"},
		"codex": {
			".codex/archived_sessions/rollout-b.jsonl", ".codex/archived_sessions/rollout-c.jsonl", ".codex/sessions/2026/01/02/rollout-a.jsonl",
		},
		"gemini": {".gemini/tmp/p/chats/parent/sub.jsonl", ".gemini/tmp/p/chats/session-1.jsonl", ".gemini/tmp/p/chats/session-2.json"},
		"antigravity": {
			".gemini/antigravity-cli/brain/u/.system_generated/logs/transcript.jsonl", ".gemini/antigravity/brain/v/.system_generated/logs/transcript.jsonl",
		},
		"opencode": {".local/share/opencode/opencode-beta.db", ".local/share/opencode/opencode.db"},
		"openai":   {".cursor/projects/s/agent-transcripts/u/u.jsonl"},
		"aider":    {"work/.aider.chat.history.md"},
		"cline": {
			".config/VSCodium/User/globalStorage/saoudrizwan.claude-dev/tasks/1/ui_messages.json",
			".vscode-server/data/User/globalStorage/rooveterinaryinc.roo-cline/tasks/2/ui_messages.json",
		},
		"specstory": {"work/.specstory/history/a.md"},
	}
	for _, f := range Formats() {
		got := find(t, f, root, env)
		if diff := cmp.Diff(want[f.Name()], got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", f.Name(), diff)
		}
	}
}

// find returns the paths that a format finds, from the root.
func find(t *testing.T, f Format, root string, env map[string]string) []string {
	t.Helper()
	paths, err := f.Find(root, func(name string) string { return env[name] })
	if err != nil {
		t.Errorf("%s: %v", f.Name(), err)
	}
	for i, path := range paths {
		paths[i] = strings.TrimPrefix(path, root+"/")
	}
	return paths
}

// TestFindNothing looks in a home without any, and in the home itself.
func TestFindNothing(t *testing.T) {
	root := home(t, ".aider.chat.history.md", ".specstory/history/a.md")
	for _, f := range Formats() {
		for _, pwd := range []string{"", "relative", root, "/"} {
			if got := find(t, f, root, map[string]string{"PWD": pwd}); len(got) > 0 {
				t.Errorf("%s found %v with PWD=%q", f.Name(), got, pwd)
			}
		}
	}
}

func TestFindByEnvironment(t *testing.T) {
	root := home(t,
		"c/projects/-a/one.jsonl", "x/sessions/rollout-a.jsonl.zst", "g/.gemini/tmp/p/chats/session-1.jsonl",
		"d/opencode/opencode.db", "own.db", "w/talk.md",
	)
	env := map[string]string{
		"CLAUDE_CONFIG_DIR": root + "/c", "CODEX_HOME": root + "/x", "GEMINI_CLI_HOME": root + "/g",
		"XDG_DATA_HOME": root + "/d", "OPENCODE_DB": root + "/own.db", "PWD": root + "/w", "AIDER_CHAT_HISTORY_FILE": "talk.md",
	}
	want := map[string][]string{
		"claude": {"c/projects/-a/one.jsonl"}, "codex": {"x/sessions/rollout-a.jsonl.zst"}, "gemini": {"g/.gemini/tmp/p/chats/session-1.jsonl"},
		"opencode": {"d/opencode/opencode.db", "own.db"}, "aider": {"w/talk.md"},
	}
	for _, f := range Formats() {
		if diff := cmp.Diff(want[f.Name()], find(t, f, root, env)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", f.Name(), diff)
		}
	}
}

// TestFindThroughLink finds what lies behind a dot folder that is a link, and
// follows no other.
func TestFindThroughLink(t *testing.T) {
	root := home(t, "dots/claude/projects/-a/one.jsonl", "elsewhere/two.jsonl")
	if err := os.Symlink(filepath.Join(root, "dots/claude"), filepath.Join(root, ".claude")); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "elsewhere/two.jsonl"), filepath.Join(root, "dots/claude/projects/-a/two.jsonl")); err != nil {
		t.Fatal(err)
	}
	want := []string{".claude/projects/-a/one.jsonl"}
	if diff := cmp.Diff(want, find(t, claude{}, root, nil)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}
