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
// instructions, corrections that hold beyond the moment, decisions on the design,
// conventions, commands that failed with the form that worked, and what a person
// tells of himself that will be true or of interest next month: work, family,
// possessions, tastes, aims, events with something in them. To be dropped is what
// one might take for that: tasks, states, moods, questions, praise, plans for the
// evening, templates of prompts, what only a picture or the sentence before
// explains. Another reader would draw these lines elsewhere, above all between an
// event and small talk.
//
// The split test are 58 of the sessions of two people, drawn by the hash of their
// names from those without labels, each twice: once with the one and once with the
// other taken for the user. Five readers who knew nothing of the rules labelled
// them. Nobody who makes rules has seen them. All conversations but these and those of
// other are train, whatever they were once: three smaller sets of them were unseen at first, looked
// at, and then learned from. Labels of train that named the wrong turn or judged
// like things unlike were put right; those of test stayed as they were written.
// Test has no conversations about work: there were none left.
//
// The split other is the 142 sessions of two people of which one person is in train;
// here it is the other one who is taken for the user. Four more readers, who knew
// nothing of the rules either, labelled it after the last rule was made. The makers
// may have read those turns beside what they looked at, but no judgement on them.
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
