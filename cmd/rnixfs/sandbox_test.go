package main_test

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rnixfs/rnixfs/kernel/vfs"
)

// sandboxFlags are bubblewrap's arguments as agents give them, with the folders that they were
// told to let their commands write to: openai/codex codex-rs/linux-sandbox/src/bwrap.rs, and
// anthropics/sandbox-runtime src/sandbox/linux-sandbox-utils.ts, which passes over what is
// below /dev. Both bind the working directory and a temporary one; not all of /tmp here,
// where the test's home is.
var sandboxFlags = []struct {
	name string
	args func(work, tmp string, allowed []string) []string
}{
	{"Codex", func(work, tmp string, allowed []string) []string {
		args := []string{"--new-session", "--die-with-parent", "--ro-bind", "/", "/", "--dev", "/dev"}
		for _, dir := range append([]string{work, tmp}, allowed...) {
			args = append(args, "--bind", dir, dir)
		}
		return append(args, "--ro-bind", work+"/.git", work+"/.git", "--unshare-user", "--unshare-pid", "--unshare-net", "--proc", "/proc", "--")
	}},
	{"Claude Code", func(work, tmp string, allowed []string) []string {
		args := []string{"--new-session", "--die-with-parent", "--unshare-net", "--ro-bind", "/", "/"}
		for _, dir := range append([]string{work, tmp}, allowed...) {
			if !strings.HasPrefix(dir, "/dev/") {
				args = append(args, "--bind", dir, dir)
			}
		}
		return append(args, "--dev", "/dev", "--unshare-pid", "--unshare-user", "--cap-drop", "ALL", "--proc", "/proc", "--")
	}},
}

// inSandbox are what is done in a sandbox, by columns of the table. A server of MCP is
// started outside of it, by the agent.
var inSandbox = []struct{ column, device, script string }{
	{"`> commit`", "commit", `echo '{"action":"add","content":"The mirror is by a device"}' > $MNT/commit && jq -e .ok $MNT/commit`},
	{"`> recall`", "recall", `echo '{"query":"mirror"}' > $MNT/recall && jq -e .results[0] $MNT/recall`},
	{"`cat search/...`", "", `grep mirror $MNT/search/mirror`},
	{"`rnixfs commit add`", "commit", `rnixfs commit add --json 'The mirror is by a command'`},
	{"`... add -g`", "commit", `rnixfs commit add -g --json 'The mirror is of all projects'`},
	{"`rnixfs recall`", "recall", `rnixfs recall mirror`},
	{"`rnixfs mcp`", "commit", `echo '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}},"name":"memory_remember","arguments":{"text":"The mirror is by MCP"}}}' | rnixfs mcp | grep added`},
}

// TestSandboxes: what works in agents' sandboxes is what docs/sandboxes.md says, cell by cell.
func TestSandboxes(t *testing.T) {
	if out, err := sandboxed("true").CombinedOutput(); err != nil {
		t.Skipf("bubblewrap makes no sandbox here: %v %s", err, out)
	}
	table := documented(t)
	below := fmt.Sprintf("/dev/rnixfs-test-%d", os.Getpid())
	if err := os.Mkdir(below, 0o755); err != nil {
		t.Logf("mounts below /dev are not tried: %v", err)
		below = ""
	}
	t.Cleanup(func() { _ = os.Remove(below) })
	for _, where := range []string{"none", "below `/dev`", "elsewhere"} {
		m := newFolders(t, "")
		for _, dir := range []string{m.work + "/.git", m.dir + "/tmp"} {
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		m.env = append(m.env, "TMPDIR="+m.dir+"/tmp")
		if where == "below `/dev`" {
			if below == "" {
				continue
			}
			m.mnt = below
			m.env = append(m.env, "MNT="+below, "RNIXFS_MOUNTPOINT="+below)
		}
		m.must(`rnixfs commit add 'The mirror was there before'`)
		if where != "none" {
			needFuse(t)
			m.mount()
			t.Cleanup(func() { unmount(m.mnt) })
		}
		for _, s := range sandboxFlags {
			m.row(t, table, s.name, where, s.args(m.work, m.dir+"/tmp", nil))
			if where != "none" {
				m.row(t, table, s.name, where+", allowed", s.args(m.work, m.dir+"/tmp", []string{m.mnt}))
			}
		}
	}
}

// sandboxed is a command in a sandbox in which nothing can be written.
func sandboxed(command string) *exec.Cmd {
	return exec.Command("bwrap", "--ro-bind", "/", "/", "--dev", "/dev", "--unshare-user", "--unshare-pid", "--unshare-net", "--proc", "/proc", command)
}

// row tries everything in one sandbox, and compares it with a row of the table.
func (m *mount) row(t *testing.T, table map[string][]string, sandbox, where string, args []string) {
	t.Run(sandbox+", "+where, func(t *testing.T) {
		var saw []string
		for _, do := range inSandbox {
			saw = append(saw, m.cell(t, do.device, do.script, append([]string{"bwrap"}, args...)))
		}
		if want := table[sandbox+", "+where]; !slices.Equal(saw, want) {
			t.Errorf("docs/sandboxes.md says\n%q\nbut this was seen:\n| %s | %s | %s |", want, sandbox, where, strings.Join(saw, " | "))
		}
		doctor, _ := m.run(m.work, "", append(append([]string{"bwrap"}, args...), "rnixfs", "doctor")...)
		barred := strings.Contains(doctor, "let it write to "+m.mnt+": rnixfs install codex --sandbox (sandbox_workspace_write.writable_roots), or rnixfs install claude --sandbox (sandbox.filesystem.allowWrite)")
		if through := saw[0] == "works"; where != "none" && barred == through {
			t.Errorf("doctor: %s", doctor)
		} else if through != strings.Contains(doctor, "written through the mount") || through && strings.Contains(doctor, "warn  store") {
			t.Errorf("doctor of the stores: %s", doctor)
		}
		if saw[0] == "EROFS" {
			if out, _ := m.run(m.work, "", append(append([]string{"bwrap"}, args...), "rnixfs", "events")...); !strings.Contains(out, "is mounted, but read-only here") {
				t.Errorf("events: %s", out)
			}
		}
	})
}

// cell says what one thing did. By which way a command did it is in the mount's counters.
func (m *mount) cell(t *testing.T, device, script string, args []string) string {
	before := m.requests(device)
	if strings.Contains(script, "rnixfs mcp") {
		args = nil
	}
	out, rc := m.run(m.work, "", append(args, "bash", "-c", script)...)
	switch {
	case rc == 0 && (device == "" || m.requests(device) > before):
		return "works"
	case rc == 0 && strings.Contains(out, "They are notes"):
		return "works, by `search/`"
	case rc == 0 && strings.Contains(script, "rnixfs") && strings.Contains(out, "irror"):
		return "works, in process"
	case strings.Contains(out, "Read-only file system"):
		return "EROFS"
	case strings.Contains(out, "No such file"):
		return "ENOENT"
	case strings.Contains(out, `"code":"read_only"`):
		for _, named := range []string{"let it write", "sandbox_workspace_write.writable_roots", "sandbox.filesystem.allowWrite"} {
			if !strings.Contains(out, named) {
				t.Errorf("the hint does not name %s: %s", named, out)
			}
		}
		return "`read_only`"
	}
	return out
}

// requests is how many a device has had, as the mount's status outside the sandbox says.
func (m *mount) requests(device string) int64 {
	var status vfs.Status
	if raw, err := os.ReadFile(filepath.Join(m.mnt, "status")); err == nil {
		_ = json.Unmarshal(raw, &status)
	}
	return status.Devices[device].OK
}

// documented is the table of docs/sandboxes.md: the cells of each row by its first two.
func documented(t *testing.T) map[string][]string {
	raw, err := os.ReadFile(filepath.FromSlash("../../docs/sandboxes.md"))
	if err != nil {
		t.Fatal(err)
	}
	table := map[string][]string{}
	for line := range strings.Lines(string(raw)) {
		if cells := tableCells(line); len(cells) == len(inSandbox)+2 {
			table[cells[0]+", "+cells[1]] = cells[2:]
		}
	}
	for i, do := range inSandbox {
		if head := table["sandbox, mount"]; len(head) <= i || head[i] != do.column {
			t.Fatalf("the head of the table in docs/sandboxes.md is %q", head)
		}
	}
	return table
}
