package main_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rnixfs/rnixfs/kernel/vfs/vfstest"
)

var updateTranscripts = flag.Bool("update-transcripts", false, "write the answers of testdata/mcp anew")

// client is a session with the program's MCP server.
type client struct {
	t        testing.TB
	cmd      *exec.Cmd
	in       io.WriteCloser
	out      *bufio.Reader
	problems bytes.Buffer
}

// newClient starts a server in the project, for the rest of the test.
func (m *mount) newClient(t testing.TB, dir string, args ...string) *client {
	t.Helper()
	c := &client{t: t, cmd: exec.Command(binary, append([]string{"mcp"}, args...)...)}
	c.cmd.Dir, c.cmd.Env, c.cmd.Stderr = dir, m.env, &c.problems
	in, err := c.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := c.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.in, c.out = in, bufio.NewReader(out)
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.end)
	return c
}

// end closes the server's input, which ends it.
func (c *client) end() {
	if c.cmd.ProcessState != nil {
		return
	}
	c.in.Close()
	rest, _ := io.ReadAll(c.out)
	if err := c.cmd.Wait(); err != nil || len(rest) > 0 {
		c.t.Errorf("the server ended with %v, and %q; %s", err, rest, c.problems.String())
	}
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatalf("%v: %s", err, c.problems.String())
	}
}

// answer is the next line of the server, which is JSON, whatever is logged.
func (c *client) answer() []byte {
	c.t.Helper()
	line, err := c.out.ReadBytes('\n')
	if err != nil || !json.Valid(line) {
		c.t.Fatalf("%v: %q; %s", err, line, c.problems.String())
	}
	return bytes.TrimSpace(line)
}

const introduction = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}`

// introduce begins the session of a client of today.
func (c *client) introduce() *client {
	c.t.Helper()
	c.send(introduction)
	c.answer()
	c.send(`{"jsonrpc":"2.0","method":"notifications/initialized"}`)
	return c
}

// call calls a tool; text is what a model reads.
func (c *client) call(tool string, arguments []byte) (text string, failed bool) {
	c.t.Helper()
	c.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, tool, arguments))
	var a struct {
		Result struct {
			Content []struct{ Text string }
			IsError bool
		}
	}
	line := c.answer()
	if err := json.Unmarshal(line, &a); err != nil || len(a.Result.Content) != 1 {
		c.t.Fatalf("%s %s: %s", tool, arguments, line)
	}
	return a.Result.Content[0].Text, a.Result.IsError
}

func (c *client) must(tool, arguments, want string) {
	c.t.Helper()
	if text, failed := c.call(tool, []byte(arguments)); failed || !strings.Contains(text, want) {
		c.t.Errorf("%s %s: %s; want %s", tool, arguments, text, want)
	}
}

// changing is what differs from one run of a transcript to the next.
var changing = []struct {
	form *regexp.Regexp
	name string
}{
	{regexp.MustCompile(`[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}`), "ID"},
	{regexp.MustCompile(`\b20\d\d-\d\d-\d\d, score \d\.\d\d`), "DATE, score N"},
	{regexp.MustCompile(`\([A-Z][a-z]{2} \d+\*\)`), "(DAY*)"},
	{regexp.MustCompile(`("name":"rnixfs","version":)"[^"]*"`), `$1"VERSION"`},
}

// TestTranscripts sends the lines of testdata/mcp that begin with >, one after another, and
// holds the answers to those with <. $HUGE is a text over what a line may have. The log,
// at its most talkative, is on another stream.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/mcp/*.txt")
	if err != nil || len(files) != 5 {
		t.Fatalf("%v, %v", files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			raw, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			m := newFolders(t, "")
			c := m.newClient(t, m.work, "--debug")
			var got strings.Builder
			for line := range strings.Lines(string(raw)) {
				request, sent := strings.CutPrefix(strings.TrimSpace(line), "> ")
				if !sent {
					if !strings.HasPrefix(line, "<") {
						got.WriteString(line)
					}
					continue
				}
				fmt.Fprintf(&got, "> %s\n", request)
				c.send(strings.ReplaceAll(request, "$HUGE", strings.Repeat("x", 5<<20)))
				if strings.HasPrefix(request, `{"jsonrpc":"2.0","method":`) {
					continue // a notification
				}
				answer := string(c.answer())
				for _, ch := range changing {
					answer = ch.form.ReplaceAllString(answer, ch.name)
				}
				fmt.Fprintf(&got, "< %s\n", answer)
			}
			if *updateTranscripts {
				if err := os.WriteFile(file, []byte(got.String()), 0o600); err != nil {
					t.Fatal(err)
				}
			} else if got.String() != string(raw) {
				t.Errorf("%s is not what the server says; go test ./cmd/rnixfs -run TestTranscripts -update-transcripts writes it:\n%s", file, got.String())
			}
			if c.end(); !strings.Contains(c.problems.String(), `"level":"DEBUG"`) {
				t.Errorf("nothing was logged: %s", c.problems.String())
			}
		})
	}
}

// TestMCPMounts: each call looks what is mounted, also where that comes and dies between
// two of them. What is written is stamped as an agent's either way.
func TestMCPMounts(t *testing.T) {
	needFuse(t)
	m := newFolders(t, "")
	c := m.newClient(t, m.work).introduce()
	remember := func(text string) { c.must("memory_remember", `{"text":"`+text+`"}`, "entry added to memory") }
	remember("written in process")
	m.mount()
	t.Cleanup(func() { unmount(m.mnt) })
	remember("written through the mount")
	if got := m.must(`cat $MNT/status | jq .devices.commit.ok`); strings.TrimSpace(got) != "1" {
		t.Errorf("the mount has had %s requests", got)
	}
	var status struct{ PID int }
	if err := json.Unmarshal([]byte(m.must(`cat $MNT/status`)), &status); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(status.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for i := 0; syscall.Kill(status.PID, 0) == nil && i < 1000; i++ {
		time.Sleep(5 * time.Millisecond)
	}
	remember("written after its death")
	c.must("memory_recall", `{"query":"written"}`, "3 results")
	c.end()
	unmount(m.mnt)
	for line := range strings.Lines(m.must(`rnixfs commit list --json | jq -c '.entries[].source | [.trust, .road, .client, (.exe | test("rnixfs$"))]'`)) {
		if line != `["agent","mcp","test 1",true]`+"\n" {
			t.Errorf("the source is %s", line)
		}
	}
}

// tools are those of the MCP server, as far as they carry a request.
type tools struct{ c *client }

// newTools introduces a client to a server in this process's directory.
func newTools(t *testing.T, m *mount) *client {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	return m.newClient(t, dir).introduce()
}

// remembered are the fields of requests that a tool has, by action; recall has none.
var remembered = map[string]map[string]string{
	"add":     {"content": "text", "key": "key", "target": "scope"},
	"replace": {"new": "text", "key": "replace", "new_key": "key", "target": "scope"},
	"remove":  {"key": "forget", "target": "scope"},
	"":        {"query": "query", "max_results": "max_results", "scope": "scope", "since": "since"},
}

func (f tools) Do(device string, request []byte) ([]byte, string, error) {
	var fields map[string]any
	if json.Unmarshal(request, &fields) != nil || !slices.Contains([]string{"commit", "profile", "session", "recall"}, device) {
		return nil, "", vfstest.ErrNotCarried
	}
	action, _ := fields["action"].(string)
	delete(fields, "action")
	arguments := map[string]any{}
	if remembered[action] == nil {
		return nil, "", vfstest.ErrNotCarried
	}
	for field, value := range fields {
		name := remembered[action][field]
		if name == "" || name == "text" && value == "" { // an empty argument is none
			return nil, "", vfstest.ErrNotCarried
		}
		arguments[name] = value
	}
	if scope := map[string]string{"profile": "user", "session": "session"}[device]; scope != "" {
		arguments["scope"] = scope
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return nil, "", err
	}
	if device == "recall" {
		return f.text("memory_recall", raw)
	}
	return f.text("memory_remember", raw)
}

func (f tools) text(tool string, arguments []byte) ([]byte, string, error) {
	text, failed := f.c.call(tool, arguments)
	code := ""
	if failed {
		code, _, _ = strings.Cut(text, ":")
	}
	return []byte(text), code, nil
}
