// Package eval measures what the rules of writeback extract.
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
// They were made by one reader, who read what the user says in 116 conversations
// of three kinds: 31 of a developer with a coding agent, 17 runs of an agent on
// tasks from a template, and 68 sessions of two people who tell each other of
// their lives, of whom one is taken for the user. To be kept are explicit
// requests, standing instructions, corrections that hold beyond the moment,
// decisions on the design, conventions, commands that failed with the form that
// worked, and what a person tells of himself that will be true or of interest
// next month: work, family, possessions, tastes, aims, events with something in
// them. To be dropped is what one might take for that: tasks, states, moods,
// questions, praise, plans for the evening, templates of prompts, what only a
// picture or the sentence before explains. Another reader would draw these lines
// elsewhere, above all between an event and small talk.
//
// A third of the first 93 conversations, by the hash of the name, is the split
// test; the rest is train, on which the rules were made. Labels were written
// before the rules. While the rules were made, labels of train that named the
// wrong turn or judged like things unlike were put right, and one was split in
// two; of test only the names of turns were put right, by looking whether the
// terms stand in them. Test was then looked at once, faults of the rules that it
// showed were mended, and so it is unseen no more. Twelve further sessions were
// labelled to see what that was worth, went to train when they had shown more,
// and eleven more were labelled last and are the split fresh. Rules were added
// after it was looked at, none of them for what it showed, and its figures stayed
// as they were. Fresh has sessions of two people only.
//
// # Locks
//
// None.
//
// # Imports
//
// It imports rules, process and memory, and recall/transcript to read histories.
// The command imports it.
package eval
