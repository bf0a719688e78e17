package attest

import (
	"bytes"
	"path/filepath"
	"slices"
	"strings"
)

// knownAgents are executables whose children are agents, also at a terminal.
var knownAgents = []string{
	"agy", "aider", "amp", "auggie", "claude", "cline", "codex", "continue", "copilot", "crush",
	"cursor-agent", "droid", "gemini", "goose", "kilocode", "kimi", "openhands", "opencode",
	"plandex", "qodo", "qwen", "rovodev", "warp-agent",
}

// interpreters run agents that are scripts: their first arguments name them.
var interpreters = []string{"node", "bun", "deno", "python", "ruby", "npx", "uv"}

// agent reports whether a process is a known agent: by its executable, by the name
// it shows (node programs set it), or by the script it runs. One that can't be seen
// counts as an agent, and so does one in another mount namespace than this process and
// process 1, where a program has any name that somebody gave it.
func (a *Attester) agent(l Link) bool {
	if ns := readLink(l.PID, mountSpace); ns != "" && ns != a.mounts && ns != a.first { // "": another user's process
		return true
	}
	st, ok := readStat(l.PID)
	if !ok {
		return true
	}
	exe := readLink(l.PID, "exe")
	return slices.Contains(knownAgents, agentName(exe)) || slices.Contains(knownAgents, agentName(st.comm)) ||
		runsAgent(l.PID, exe)
}

func runsAgent(pid int, exe string) bool {
	if !isInterpreter(exe) {
		return false
	}
	var room [4096]byte
	raw, ok := readProc(pid, "cmdline", room[:])
	if !ok {
		return false
	}
	args := bytes.Split(raw, []byte{0})
	for _, arg := range args[:min(4, len(args))] { // flags may stand before the script
		if slices.Contains(knownAgents, agentName(string(arg))) || inAgentPackage(string(arg)) {
			return true
		}
	}
	return false
}

// inAgentPackage recognises a script inside an agent's package, whose own name is
// cli.js or index.js: .../node_modules/@openai/codex/bin/cli.js.
func inAgentPackage(path string) bool {
	_, rest, ok := strings.Cut(path, "/node_modules/")
	if !ok {
		return false
	}
	for part := range strings.SplitSeq(rest, "/") {
		part = strings.TrimSuffix(strings.TrimSuffix(part, "-cli"), "-code")
		if slices.Contains(knownAgents, part) {
			return true
		}
	}
	return false
}

// agentName is the last part of a path without what packagers add to it.
func agentName(path string) string {
	name := filepath.Base(path)
	for _, suffix := range []string{".js", ".mjs", ".cjs", ".py", ".exe", "-cli", "-linux-x64", "-linux-arm64"} {
		name = strings.TrimSuffix(name, suffix)
	}
	return name
}

func isInterpreter(exe string) bool {
	name := filepath.Base(exe)
	return slices.ContainsFunc(interpreters, func(i string) bool { return strings.HasPrefix(name, i) })
}
