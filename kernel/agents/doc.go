// Package agents describes the agents that hand their conversations over by hooks:
// Claude Code, Codex, Gemini CLI and Antigravity. It finds and edits the settings files that hold
// an agent's hooks, its MCP servers and what its sandbox lets commands write to, also of
// clients without hooks; it reads an event from standard input, and writes the answer
// that the agent wants on standard output.
//
// # What it is not
//
// It runs nothing and keeps nothing: the command line acts on an event. It does not know the agents' transcripts (package transcript does).
//
// # Invariants
//
//   - A settings file belongs to its user. Every byte outside of ours stays:
//     keys, order, comments, indentation, line ends; so do mode and owner. A file
//     that is not understood is refused and left alone.
//   - [File.Uninstall] takes out what [File.Install] put in, and nothing else.
//   - An agent is printed the answer that it wants for the event, also after a
//     failure; in doubt nothing.
//   - A payload names a transcript; it never brings text that is kept.
//
// # Imports
//
// It imports memory for the errors and durable to replace files. Only the command
// line imports it, and it alone imports hujson and go-difflib; the scanner reads
// TOML, too.
package agents
