package llm

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"

	"github.com/rnixfs/rnixfs/kernel/memory"
)

// standIn puts a program of a name into PATH, and returns a check that it left no
// process and no folder behind.
func standIn(t *testing.T, name, script string) (tidy func()) {
	t.Helper()
	bin, tmp, mark := t.TempDir(), t.TempDir(), "LC_TEST="+uuid.NewString()
	if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	t.Setenv("TMPDIR", tmp)
	t.Setenv("LC_TEST", strings.TrimPrefix(mark, "LC_TEST="))
	return func() {
		t.Helper()
		if left, _ := os.ReadDir(tmp); len(left) > 0 {
			t.Errorf("%v is left", left)
		}
		var alive []string
		for range 500 { // those that were killed need a moment to die
			if alive = withMark(mark); len(alive) == 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
		t.Errorf("%q are left", alive)
	}
}

func withMark(mark string) (alive []string) {
	procs, _ := filepath.Glob("/proc/[0-9]*")
	for _, p := range procs {
		env, _ := os.ReadFile(p + "/environ")
		if p != fmt.Sprintf("/proc/%d", os.Getpid()) && strings.Contains(string(env), mark) {
			line, _ := os.ReadFile(p + "/cmdline")
			alive = append(alive, strings.ReplaceAll(string(line), "\x00", " "))
		}
	}
	return alive
}

// TestPrograms reads what the four programs print, in the forms of their documentation.
func TestPrograms(t *testing.T) {
	events := `{"type":"thread.started","thread_id":"1"}
{"type":"turn.started"}
{"type":"item.completed","item":{"id":"item_0","type":"reasoning","text":"hm"}}
{"type":"item.completed","item":{"id":"item_1","type":"agent_message","text":"a draft"}}
not JSON
{"type":"item.completed","item":{"id":"item_2","type":"agent_message","text":"the words"}}
{"type":"turn.completed","usage":{"input_tokens":24763,"output_tokens":122}}`
	result := `{"type":"result","subtype":"success","is_error":false,"result":"the words","total_cost_usd":0.01,"session_id":"1"}`
	for name, tc := range map[string]struct {
		command []string
		prints  string
		args    string
	}{
		"claude": {
			[]string{"claude", "-p"},
			result,
			`--output-format json --tools  --strict-mcp-config --no-session-persistence --settings {"disableAllHooks":true} -p`,
		},
		"claude, a list": {
			[]string{"claude", "--print", "-p", "--model", "haiku"},
			`[{"type":"system"},{"type":"assistant"},` + result + `]`,
			`--output-format json --tools  --strict-mcp-config --no-session-persistence --settings {"disableAllHooks":true} --print -p --model haiku`,
		},
		"codex":  {[]string{"codex", "exec", "-"}, events, "exec --json --skip-git-repo-check --sandbox read-only --ephemeral --disable hooks -"},
		"gemini": {[]string{"gemini", "-p", ""}, "the words", "--extensions none --approval-mode default -p "},
		"ollama": {[]string{"ollama", "run", "qwen3"}, "the words", "run --hidethinking --nowordwrap qwen3"},
		"mine":   {[]string{"mine", "-x"}, "the words", "-x"},
	} {
		t.Run(name, func(t *testing.T) {
			tidy := standIn(t, tc.command[0], `echo noise about a login >&2
[ "$(cat)" = "the prompt" ] && [ "$*" = '`+tc.args+`' ] && [ -z "$(ls -A)" ] && cat <<'EOT'
`+tc.prints+`
EOT`)
			b := &Budget{File: filepath.Join(t.TempDir(), "llm.json"), Max: 1e6}
			text, err := Program{Command: tc.command, Budget: b}.Ask(t.Context(), "the prompt")
			if err != nil || strings.TrimSpace(text) != "the words" || b.Spent() != 6 {
				t.Errorf("%q, %v, %d tokens", text, err, b.Spent())
			}
			tidy()
		})
	}
}

// TestProgramFaults ends each fault with an error of a kind, in time, and with nothing
// left behind.
func TestProgramFaults(t *testing.T) {
	const words = "echo the words\n"
	for name, tc := range map[string]struct {
		program, script string
		kind            memory.Kind
		says            string
	}{
		"fails":                {"mine", words + "exit 3", memory.KindUnavailable, "exit status 3"},
		"is killed":            {"mine", words + "kill -9 $$", memory.KindUnavailable, "signal: killed"},
		"prints nothing":       {"mine", "cat >/dev/null", memory.KindInvalid, "no answer"},
		"says why":             {"mine", "echo 'first this' >&2; echo 'then: out of  credits' >&2; exit 3", memory.KindUnavailable, `exit status 3: "then: out of credits"`},
		"says much, and fails": {"mine", "yes 'the API key words' | head -n 50; exit 3", memory.KindUnavailable, "exit status 3"},
		"repeats the prompt":   {"mine", "cat >&2; exit 3", memory.KindUnavailable, "exit status 3"},
		"fails, and exits 0":   {"mine", "echo 'Invalid API key'", memory.KindDenied, `asks for a login: "Invalid API key"`},
		"asks for a login":     {"mine", "echo 'Please run /login' >&2; exit 1", memory.KindDenied, `asks for a login: "Please run /login"`},
		"asks at a terminal":   {"mine", "read x </dev/tty || { echo 'authentication required' >&2; exit 1; }", memory.KindDenied, "login"},
		"is at its limit":      {"mine", "echo 'HTTP 429 Too Many Requests' >&2; exit 1", memory.KindUnavailable, "limit"},
		"has no such model":    {"ollama", `echo 'Error: model "x" not found, try pulling it first' >&2; exit 1`, memory.KindDenied, "model"},
		"has no server":        {"ollama", "echo 'Error: could not connect to ollama server' >&2; exit 1", memory.KindUnavailable, "reach"},
		"hangs":                {"mine", words + "sleep 1000", memory.KindTimeout, "in time"},
		"ignores signals":      {"mine", "trap '' TERM INT HUP; while :; do sleep 1; done", memory.KindTimeout, "in time"},
		"does not read":        {"mine", "exec sleep 1000 <&-", memory.KindTimeout, "in time"},
		"hangs in a session":   {"mine", "setsid sleep 1000 & setsid sh -c 'sleep 1000 & sleep 1000' & sleep 1000", memory.KindTimeout, "in time"},
		"prints ten MB":        {"mine", "head -c 10000000 /dev/zero | tr '\\0' x; sleep 1000", memory.KindInvalid, "more than an answer"},
		"is noisy":             {"mine", "head -c 10000000 /dev/zero | tr '\\0' x >&2; exit 1", memory.KindUnavailable, "exit status 1"},
		"claude has no login":  {"claude", `echo '{"type":"result","is_error":true,"result":"Invalid API key · Please run /login"}'; exit 1`, memory.KindDenied, "login"},
		"claude is cut off":    {"claude", `echo '{"type":"result","is_err'`, memory.KindInvalid, "no answer"},
		"codex fails":          {"codex", `echo '{"type":"turn.failed","error":{"message":"usage limit reached"}}'; exit 1`, memory.KindUnavailable, "limit"},
		"codex says nothing":   {"codex", `echo '{"type":"turn.completed"}'`, memory.KindInvalid, "no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			tidy := standIn(t, tc.program, tc.script)
			p := Program{Command: []string{tc.program}, Timeout: 20 * time.Second}
			if tc.kind == memory.KindTimeout {
				p.Timeout = 400 * time.Millisecond
			}
			text, err := p.Ask(t.Context(), strings.Repeat("the prompt ", 20000))
			if err == nil || text != "" || memory.KindOf(err) != tc.kind || !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%q, %v (%v)", text, err, memory.KindOf(err))
			}
			if err != nil && (strings.Contains(err.Error(), "words") || strings.Contains(err.Error(), "the prompt")) {
				t.Errorf("the error says too much: %v", err)
			}
			tidy()
		})
	}
}

func TestProgramMissing(t *testing.T) {
	dir := t.TempDir()
	plain, broken := filepath.Join(dir, "plain"), filepath.Join(dir, "broken")
	for file, mode := range map[string]os.FileMode{plain: 0o600, broken: 0o700} {
		if err := os.WriteFile(file, []byte("neither script nor binary"), mode); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"rnix-no-such-program", filepath.Join(dir, "absent"), plain, broken, dir} {
		b := &Budget{File: filepath.Join(t.TempDir(), "llm.json"), Max: 1e6}
		if _, err := (Program{Command: []string{name}, Budget: b}).Ask(t.Context(), "x"); memory.KindOf(err) != memory.KindDenied || b.Spent() != 0 {
			t.Errorf("%s: %v, %d tokens", name, err, b.Spent())
		}
	}
	if _, err := (Program{}).Ask(t.Context(), "x"); memory.KindOf(err) != memory.KindUnavailable {
		t.Error(err)
	}
}

// TestProgramChildren gives an answer whose program leaves children behind, in sessions
// of their own and with the output open, and leaves none of them alive.
func TestProgramChildren(t *testing.T) {
	tidy := standIn(t, "mine", `echo the words
sh -c 'setsid sh -c "sleep 1000; true" &' &
(setsid sleep 1000 >/dev/null 2>&1 &)
sleep 1000 &`)
	text, err := Program{Command: []string{"mine"}, Timeout: 20 * time.Second}.Ask(t.Context(), "x")
	if err != nil || text != "the words\n" {
		t.Errorf("%q, %v", text, err)
	}
	tidy()
}

// TestProgramEnvironment passes on what a program needs for its login and its network,
// and nothing else.
func TestProgramEnvironment(t *testing.T) {
	tidy := standIn(t, "mine", "env; echo PWD is $(pwd)")
	for name, value := range map[string]string{
		"ANTHROPIC_API_KEY": "a", "GOOGLE_CLOUD_PROJECT": "b", "https_proxy": "c", "AWS_SECRET_ACCESS_KEY": "no", "SSH_AUTH_SOCK": "no",
		"GITHUB_TOKEN": "no", "CLAUDECODE": "1", "BASH_ENV": "no", "LD_PRELOAD": "", "TERM": "xterm",
	} {
		t.Setenv(name, value)
	}
	text, err := Program{Command: []string{"mine"}}.Ask(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"ANTHROPIC_API_KEY=a", "GOOGLE_CLOUD_PROJECT=b", "https_proxy=c", "TERM=dumb", "PATH=", "HOME=", Own + "=", "PWD is " + os.Getenv("TMPDIR")} {
		if !strings.Contains(text, "\n"+want) && !strings.HasPrefix(text, want) {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	for _, no := range []string{"=no", "CLAUDECODE", "xterm"} {
		if strings.Contains(text, no) {
			t.Errorf("%s in\n%s", no, text)
		}
	}
	tidy()
}

// TestProgramCancelled ends the program with the context, as the end of a mount does.
func TestProgramCancelled(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	tidy := standIn(t, "mine", "touch "+started+"; sleep 1000")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		for range 1000 {
			if _, err := os.Stat(started); err == nil {
				break
			}
			time.Sleep(10 * time.Millisecond)
		}
		cancel()
	}()
	if _, err := (Program{Command: []string{"mine"}}).Ask(ctx, "x"); err != context.Canceled {
		t.Error(err)
	}
	tidy()
}

func TestArguments(t *testing.T) {
	args := Program{Command: []string{"/opt/bin/codex", "--profile", "cheap", "exec", "--sandbox", "none", "-"}}.arguments()
	want := []string{"/opt/bin/codex", "--profile", "cheap", "exec", "--json", "--skip-git-repo-check", "--ephemeral", "--disable", "hooks", "--sandbox", "none", "-"}
	if diff := cmp.Diff(want, args); diff != "" {
		t.Error(diff)
	}
	if other := (Program{Command: []string{"mine", "x"}}).arguments(); !slices.Equal(other, []string{"mine", "x"}) {
		t.Error(other)
	}
}
