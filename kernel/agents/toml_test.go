package agents

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pelletier/go-toml/v2"
	"pgregory.net/rapid"
)

// codexFile is the server and the writable folder in a config.toml.
func codexFile(path string) File {
	f := ByName("codex").Files(func(string) string { return "" }, "", "/p", Wanted{Command: command, MCP: true, Sandbox: true, Mountpoint: "/run/memory"})[1]
	f.Path = path
	return f
}

// TestTOML: what is entered is there, all else stays, and taken out it is as before.
func TestTOML(t *testing.T) {
	for name, tc := range map[string]struct{ before, since, after string }{
		"nothing":           {"", "", ""},
		"comments":          {"# a\nx = 1 # b\n\n# c\n[t]\n# d\n", "", "# a\nx = 1 # b\n\n# c\n[t]\n# d\n"},
		"no line end":       {"x = 1", "", "x = 1"},
		"CRLF":              {"x = 1\r\n[t]\r\ny = 2\r\n", "", "x = 1\r\n[t]\r\ny = 2\r\n"},
		"mark":              {"\xef\xbb\xbfx = 1\n", "", "\xef\xbb\xbfx = 1\n"},
		"more since":        {"x = 1\n", "\n# of it\n[later]\ny = [\n  [1],\n]\n", "x = 1\n\n# of it\n[later]\ny = [\n  [1],\n]\n"},
		"tables below ours": {"x = 1\n", "\n[mcp_servers.rnixfs.tools.memory_recall]\napproval_mode = \"approve\"\n", "x = 1\n"},
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		check := func(err error) {
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if tc.before != "" {
			check(os.WriteFile(path, []byte(tc.before), 0o600))
		}
		p, err := codexFile(path).Install()
		check(err)
		check(p.Apply())
		text, err := os.ReadFile(path)
		check(err)
		var m map[string]any
		check(toml.Unmarshal([]byte(strings.TrimPrefix(string(text), string(bom))), &m))
		if diff := cmp.Diff(map[string]any{"command": command.Binary, "args": []any{"mcp"}}, under(m, "mcp_servers", "rnixfs")); diff != "" {
			t.Errorf("%s: the server (-want +got):\n%s", name, diff)
		}
		if diff := cmp.Diff([]any{"/run/memory"}, under(m, "sandbox_workspace_write", "writable_roots")); diff != "" {
			t.Errorf("%s: the folder (-want +got):\n%s", name, diff)
		}
		check(os.WriteFile(path, append(text, tc.since...), 0o600))
		p, err = codexFile(path).Uninstall()
		check(err)
		if p.Gone != (tc.after == "") || string(p.Text) != tc.after {
			t.Errorf("%s: back is %q, gone %v, want %q", name, p.Text, p.Gone, tc.after)
		}
	}
}

// TestTOMLByHand: what a person wrote in another way stays, with an error where ours has no room.
func TestTOMLByHand(t *testing.T) {
	for text, room := range map[string]bool{
		"mcp_servers = { rnixfs = { command = '/x/rnixfs', args = ['mcp'] } }\nsandbox_workspace_write = { writable_roots = ['/run/memory'] }\n": true,
		"[mcp_servers]\nrnixfs.command = 'docker'\n":               true,
		"mcp_servers.other.command = 'x'\n[mcp_servers.other.env]": true,
		"mcp_servers = {}\n":                              false,
		"sandbox_workspace_write.network_access = true\n": false,
		"[mcp_servers.rnixfs]\ncommand = 7\n":             true,
		"mcp_servers = 'x'\n":                             false,
	} {
		path := filepath.Join(t.TempDir(), "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := codexFile(path).Install(); (err == nil) != room {
			t.Errorf("%q: %v", text, err)
		}
		if p, err := codexFile(path).Uninstall(); err != nil || p.Changed() {
			t.Errorf("%q: back is changed (%v)", text, err)
		}
	}
}

// TestTOMLProperty: whatever lines a file has, it is refused or all of it stays.
func TestTOMLProperty(t *testing.T) {
	lines := []string{"[a]", "[a.b]", "[[c]]", "x = 1", "y = [", "  [1],", "]", "# c", "", "z = \"\"\"", "\"\"\"", "[mcp_servers.rnixfs]", "[ mcp_servers . \"rnixfs\" ]", "command = '/b/rnixfs'", "args = ['mcp']", "[mcp_servers.rnixfs.env]", "[sandbox_workspace_write]", "writable_roots = ['/run/memory']"}
	dir := t.TempDir()
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(lines), 0, 12).Draw(t, "lines"), "\n")
		before, err := parseTOML([]byte(text))
		if err != nil {
			t.Skip("no TOML")
		}
		path := filepath.Join(dir, "config.toml")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatalf("%v", err)
		}
		p, err := codexFile(path).Uninstall()
		if err != nil {
			return
		}
		after, err := parseTOML(p.Text)
		if err != nil {
			t.Fatalf("%v: %q", err, p.Text)
		}
		for _, m := range []map[string]any{before, after} {
			delete(m, "mcp_servers")
			delete(m, "sandbox_workspace_write")
		}
		if diff := cmp.Diff(before, after); diff != "" {
			t.Fatalf("%q became %q:\n%s", text, p.Text, diff)
		}
	})
}
