// Package agents is what is known of the agents that hand their conversations
// over by hooks: Claude Code, Codex and Gemini CLI. It says which settings file
// holds an agent's hooks and what is to be entered there, what each event brings
// on standard input, and what the agent wants to read on standard output.
//
// # What it is not
//
// It runs nothing and keeps nothing: what becomes of an event is for the command
// line. It does not know the agents' transcripts (package transcript does).
//
// # Invariants
//
//   - A settings file belongs to its user. Every byte outside of our hooks stays:
//     keys, order, comments, indentation, line ends; so do mode and owner. A file
//     that is not understood is refused and left alone.
//   - [Agent.Remove] takes out what [Agent.Add] put in, and nothing else.
//   - What is printed to an agent is what that agent wants for that event, also
//     after a failure. In doubt it is nothing.
//   - A payload names a transcript; it never brings text that is kept.
//
// # Imports
//
// It imports memory for the errors and durable to replace files. Only the command
// line imports it, and it alone imports hujson and go-difflib.
package agents
