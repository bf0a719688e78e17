// Package writebackeval measures what the rules of writeback extract.
//
// # What it is
//
// [Measure] gives real conversations to the rules and holds what comes out
// against labels; [Print] writes the figures. Precision is the share of the
// candidates that a label says to keep; what no label speaks of, and what says
// again what another candidate says, counts as false. Recall is the share of the
// labels to keep that a candidate has. Thresholds on the conversation do not
// apply.
//
// # What it is not
//
// It is not the data: conversations are read from a folder that is given, and
// none of their text is here but the few words by which a label knows its
// candidate.
//
// # The labels
//
// Readers made them, who read what the user says in 248 conversations of three
// kinds: 31 of a developer with a coding agent, 17 runs of an agent on tasks from a
// template, and 200 sessions of two people who tell each other of their lives, of
// whom one is taken for the user. To be kept are explicit requests, standing
// instructions, corrections that hold beyond the moment, what a person likes, and
// commands that failed with the form that worked. To be dropped, in conversations
// about work, is what one might take for that: tasks, states, questions, templates of
// prompts. There were labels of decisions, conventions and of what people tell of
// their lives, too, when rules looked for them; what a candidate says of those counts
// as false now. Another reader would draw these lines elsewhere.
//
// The split test are 58 of the sessions of two people, each twice: once with the one
// and once with the other taken for the user. Readers who knew nothing of the rules
// labelled them, and nobody who makes rules has seen them. The split other is the 142
// sessions of two people of which one person is in train; here it is the other one who
// is taken for the user. Neither has conversations about work: there were none left.
//
// The split agents are other conversations, of coding agents, of which a reader wrote
// down beforehand what a good colleague would keep: agents/labels.jsonl in the data
// folder. What another reader said of each entry that the rules extract there is in
// testdata/agents.jsonl. An entry that nobody judged is false. Who made the rules had
// read these conversations, so the figures flatter them.
//
// # Locks
//
// None.
//
// # Imports
//
// It imports rules, process and memory, and recall/transcript to read histories.
// The command imports it.
package writebackeval
