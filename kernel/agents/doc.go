// Package agents is what is known of the agents that hand their conversations
// over by hooks: Claude Code, Codex and Gemini CLI. It says which settings file
// holds an agent's hooks and what is to be entered there, what each event brings
// on standard input, and what the agent wants to read on standard output.
//
// # What it is not
//
// It runs nothing and keeps nothing: what becomes of an event is for the command
// line. It does not know the agents' transcripts (package recall/transcript does).
//
// # Invariants
//
//   - A settings file belongs to its user. It is edited as text: keys, order,
//     comments, indentation, line ends and mode of everything else stay. A file
//     that can't be understood is refused and left alone.
//   - [Agent.Remove] takes out what [Agent.Add] put in, and nothing else.
//   - What is printed to an agent is what that agent wants for that event, also
//     after a failure. In doubt it is nothing.
//   - A payload names a transcript; it never brings text that is kept.
//
// # Imports
//
// It imports memory for the errors. Only the command line imports it.
package agents
