package vfs

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/rnixfs/rnixfs/kernel/memory"
	"github.com/rnixfs/rnixfs/kernel/memory/ram"
	"github.com/rnixfs/rnixfs/kernel/memory/store"
)

// passing lets all texts pass but those with a SECRET.
type passing struct{}

func (passing) Scan(_ context.Context, fields []memory.Field) (v memory.Verdict, err error) {
	for _, f := range fields {
		if strings.Contains(f.Text, "SECRET") {
			v.Reject = append(v.Reject, memory.Finding{Rule: "secret", Field: f.Name})
		}
	}
	return v, nil
}

func (passing) Redact(_ context.Context, text string) (string, error) { return text, nil }

func memoriesInRAM(t *testing.T) *Memories {
	n := 0
	s := store.New(store.Options{
		Open: func(_ context.Context, _ memory.ScopeID, _ memory.Policy, h memory.Hooks) (memory.Provider, error) {
			return ram.Open(ram.Options{Hooks: h}), nil
		},
		Scanner: passing{},
		NewID:   func() string { n++; return fmt.Sprint("id-", n) },
	})
	t.Cleanup(func() { _ = s.Close() })
	return NewMemories(s)
}

var somebody = memory.Caller{Project: "/work", Leader: "sid-1", Trust: memory.TrustAgent}

// tool runs a command, and returns what the model is told.
func (m *Memories) tool(t *testing.T, request string) (told string, failed bool) {
	t.Helper()
	var c ToolCommand
	if err := json.Unmarshal([]byte(request), &c); err != nil {
		t.Fatal(err)
	}
	told, err := m.Tool(t.Context(), somebody, c)
	if err != nil {
		return memory.ReasonOf(err), true
	}
	return told, false
}

// TestTool: each command answers in the words of the reference implementation.
func TestTool(t *testing.T) {
	m := memoriesInRAM(t)
	for _, c := range []struct {
		request, want string
		failed        bool
	}{
		{
			`{"command":"view","path":"/memories"}`,
			"Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n" +
				"0B\t/memories\n" +
				"0B\t/memories/global/\n" +
				"0B\t/memories/session/\n" +
				"0B\t/memories/user/", false,
		},
		{`{"command":"create","path":"/memories/notes.md","file_text":"one\ntwo\nthree\nfour\n"}`, "File created successfully at: /memories/notes.md", false},
		{`{"command":"create","path":"/memories/notes.md","file_text":"again"}`, "File /memories/notes.md already exists", true},
		{`{"command":"create","path":"/memories/team/style/go.md","file_text":"Tabs."}`, "File created successfully at: /memories/team/style/go.md", false},
		{`{"command":"create","path":"/memories/global/me.md","file_text":"I review in English."}`, "File created successfully at: /memories/global/me.md", false},
		{
			`{"command":"view","path":"/memories"}`,
			"Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n" +
				"44B\t/memories\n" +
				"20B\t/memories/global/\n" +
				"20B\t/memories/global/me.md\n" +
				"19B\t/memories/notes.md\n" +
				"0B\t/memories/session/\n" +
				"5B\t/memories/team/\n" +
				"5B\t/memories/team/style/\n" +
				"0B\t/memories/user/", false,
		},
		{
			`{"command":"view","path":"/memories/team"}`,
			"Here're the files and directories up to 2 levels deep in /memories/team, excluding hidden items:\n" +
				"5B\t/memories/team\n" +
				"5B\t/memories/team/style/\n" +
				"5B\t/memories/team/style/go.md", false,
		},
		{
			`{"command":"view","path":"/memories/notes.md"}`,
			"Here's the content of /memories/notes.md with line numbers:\n" +
				"     1\tone\n" +
				"     2\ttwo\n" +
				"     3\tthree\n" +
				"     4\tfour\n" +
				"     5\t", false,
		},
		{
			`{"command":"view","path":"/memories/notes.md","view_range":[2,3]}`,
			"Here's the content of /memories/notes.md with line numbers:\n" +
				"     2\ttwo\n" +
				"     3\tthree", false,
		},
		{
			`{"command":"view","path":"/memories/notes.md","view_range":[4,-1]}`,
			"Here's the content of /memories/notes.md with line numbers:\n" +
				"     4\tfour\n" +
				"     5\t", false,
		},
		{`{"command":"view","path":"/memories/notes.md","view_range":[9,3]}`, "Invalid `view_range` parameter: [9, 3]. It should be within the range [1, 5], and not end before it begins.", true},
		{`{"command":"view","path":"/memories/notes.md","view_range":[4,2]}`, "Invalid `view_range` parameter: [4, 2]. It should be within the range [1, 5], and not end before it begins.", true},
		{`{"command":"view","path":"/memories/notes.md","view_range":[6,-1]}`, "Invalid `view_range` parameter: [6, -1]. It should be within the range [1, 5], and not end before it begins.", true},
		{`{"command":"view","path":"/memories/none"}`, "The path /memories/none does not exist. Please provide a valid path.", true},
		{
			`{"command":"str_replace","path":"/memories/notes.md","old_str":"three","new_str":"3"}`,
			"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n" +
				"     1\tone\n" +
				"     2\ttwo\n" +
				"     3\t3\n" +
				"     4\tfour\n" +
				"     5\t", false,
		},
		{`{"command":"str_replace","path":"/memories/notes.md","old_str":"three","new_str":"3"}`, "No replacement was performed, old_str `three` did not appear verbatim in /memories/notes.md.", true},
		{`{"command":"str_replace","path":"/memories/notes.md","old_str":"o","new_str":"0"}`, "No replacement was performed. Multiple occurrences of old_str `o` in lines: 1, 2, 4. Please ensure it is unique", true},
		{`{"command":"str_replace","path":"/memories/none","old_str":"a","new_str":"b"}`, "The path /memories/none does not exist. Please provide a valid path.", true},
		{`{"command":"str_replace","path":"/memories/team","old_str":"a","new_str":"b"}`, "The path /memories/team is not a file.", true},
		{`{"command":"insert","path":"/memories/notes.md","insert_line":0,"insert_text":"zero\n"}`, "The file /memories/notes.md has been edited.", false},
		{`{"command":"insert","path":"/memories/notes.md","insert_line":9,"insert_text":"x"}`, "Invalid `insert_line` parameter: 9. It should be within the range [0, 5].", true},
		{
			`{"command":"view","path":"/memories/notes.md"}`,
			"Here's the content of /memories/notes.md with line numbers:\n" +
				"     1\tzero\n" +
				"     2\tone\n" +
				"     3\ttwo\n" +
				"     4\t3\n" +
				"     5\tfour\n" +
				"     6\t", false,
		},
		{`{"command":"rename","old_path":"/memories/notes.md","new_path":"/memories/team/style/go.md"}`, "The destination /memories/team/style/go.md already exists", true},
		{`{"command":"rename","old_path":"/memories/none","new_path":"/memories/other"}`, "The path /memories/none does not exist", true},
		{`{"command":"rename","old_path":"/memories/team","new_path":"/memories/house"}`, "Successfully renamed /memories/team to /memories/house", false},
		{`{"command":"rename","old_path":"/memories/notes.md","new_path":"/memories/global/notes.md"}`, "Successfully renamed /memories/notes.md to /memories/global/notes.md", false},
		{
			`{"command":"view","path":"/memories"}`,
			"Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:\n" +
				"45B\t/memories\n" +
				"40B\t/memories/global/\n" +
				"20B\t/memories/global/me.md\n" +
				"20B\t/memories/global/notes.md\n" +
				"5B\t/memories/house/\n" +
				"5B\t/memories/house/style/\n" +
				"0B\t/memories/session/\n" +
				"0B\t/memories/user/", false,
		},
		{`{"command":"delete","path":"/memories"}`, "Cannot delete the /memories directory itself", true},
		{`{"command":"delete","path":"/memories/none"}`, "The path /memories/none does not exist", true},
		{`{"command":"delete","path":"/memories/house"}`, "Successfully deleted /memories/house", false},
		{`{"command":"delete","path":"/memories/global/notes.md"}`, "Successfully deleted /memories/global/notes.md", false},
		{`{"command":"delete","path":"/memories/global/me.md"}`, "Successfully deleted /memories/global/me.md", false},
		{`{"command":"view","path":"/elsewhere"}`, "Path must start with /memories, got: /elsewhere", true},
		{`{"command":"view","path":"/memories/../etc/passwd"}`, "Path /memories/../etc/passwd would escape /memories directory", true},
		{`{"command":"undo_edit","path":"/memories/x"}`, "unknown command: \"undo_edit\"", true},
	} {
		told, failed := m.tool(t, c.request)
		if diff := cmp.Diff(c.want, told); diff != "" || failed != c.failed {
			t.Errorf("%s: failed: %v\n%s", c.request, failed, diff)
		}
	}
}

// TestToolKeys: a path is a key, or is refused with a reason.
func TestToolKeys(t *testing.T) {
	m := memoriesInRAM(t)
	for _, c := range []struct{ path, want string }{
		{"../evil", "Path /memories/../evil would escape /memories directory"},
		{"..", "Path /memories/.. would escape /memories directory"},
		{".", "File /memories/. already exists"},
		{"a/b", ""},
		{`nul\u0000`, "the path has a control character"},
		{`tab\t`, "the path has a control character"},
		{"" + strings.Repeat("0", 300) + "", "the path is longer than 200 characters"},
		{"メモ/私.md", ""},
		{"a/b/c", "/memories/a/b/c lies in a file"},
		{"INDEX.md", "INDEX.md is made of the entries"},
		{".hidden", "this is not the path of any key"},
		{"a//b", "File /memories/a//b already exists"},
		{"x~", "this is not the path of any key"},
	} {
		want := c.want
		if want == "" {
			want = "File created successfully at: /memories/" + c.path
		}
		raw := `{"command":"create","path":"/memories/` + c.path + `","file_text":"text"}`
		if got, failed := m.tool(t, raw); got != want || failed == (c.want == "") {
			t.Errorf("%q: %q, want %q", c.path, got, want)
		}
	}
	var keys []string
	list, err := m.List(t.Context(), somebody, "project")
	for _, e := range list.files {
		keys = append(keys, e.Key)
	}
	if slices.Sort(keys); err != nil || !slices.Equal(keys, []string{"a/b", "メモ/私.md"}) {
		t.Errorf("%q %v", keys, err)
	}
}

// TestPut: what a text replaces is what it was told to, and a try changes nothing.
func TestPut(t *testing.T) {
	m, ctx := memoriesInRAM(t), t.Context()
	put := func(text string, old int64) (int64, string) {
		tried := m.Try(ctx, somebody, "project", "x", text, old)
		revision, err := m.Put(ctx, somebody, "project", "x", text, old)
		if memory.KindOf(tried) != memory.KindOf(err) || (tried == nil) != (err == nil) {
			t.Errorf("%q over %d: tried %v, done %v", text, old, tried, err)
		}
		if err != nil {
			return 0, memory.KindOf(err).Code()
		}
		return revision, ""
	}
	for _, c := range []struct {
		text     string
		old      int64
		revision int64
		code     string
	}{
		{"early", 1, 0, "conflict"},
		{"new", Nothing, 1, ""},
		{"again", Nothing, 0, "exists"},
		{"over", Anything, 2, ""},
		{"stale", 1, 0, "conflict"},
		{"seen", 2, 3, ""},
		{"a SECRET", Anything, 0, "rejected"},
		{strings.Repeat("x", 50001), Anything, 0, "over_limit"},
		{"\xff", Anything, 0, "invalid"},
		{"a\x00b", Anything, 0, "invalid"},
		{"", Anything, 0, "invalid"},
	} {
		if revision, code := put(c.text, c.old); revision != c.revision || code != c.code {
			t.Errorf("%.20q over %d: %d %s, want %d %s", c.text, c.old, revision, code, c.revision, c.code)
		}
	}
}
