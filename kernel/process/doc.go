// Package process keeps the conversations of agents: what was said in each run,
// in order, and how it ended.
//
// # What it is
//
// A process is one run of an agent; its turns are what the user, the agent and
// its tools said. A store keeps the processes of a user by project, as files that
// can be read without this program: a folder a process, with process.json and the
// append-only turns.jsonl.
//
// # What it is not
//
// It searches nothing (package recall does) and learns nothing from what it keeps
// (package writeback does). It reads no other tool's format (package
// recall/transcript does): it takes turns.
//
// # Imports
//
// It imports memory for the errors and the trust levels. Recall, writeback and
// the devices import it.
package process
