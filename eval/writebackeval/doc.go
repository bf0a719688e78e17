// Package writebackeval measures what writeback learns from conversations: by its
// rules, and by a model.
//
// # What it is
//
// [Measure] reads the conversations of agents/ in a data folder, with what a reader
// wrote down beforehand that a good colleague would keep of them (labels.jsonl), and
// holds against it what is extracted. An entry is right when a reader found it worth
// keeping; a fact is found when an entry says it and a turn of that entry holds the
// fact's anchor. What another reader said of each entry is in testdata/rules.jsonl and
// testdata/model.jsonl; an entry that nobody judged is false. [Print] writes the
// figures.
//
// A model is not asked. Its answers are in testdata/answers.jsonl: readers wrote them
// who saw the prompt and nothing else. Each is kept with the hash of its exact prompt,
// and is of no use once the prompt has changed. [WritePrompts] writes the prompts for
// such readers, [TakeAnswers] takes in what they answered.
//
// Whoever made the rules and the prompt had seen these conversations, so the figures
// flatter both.
//
// # What it is not
//
// It is not the data: of a conversation nothing is here but what its readers quoted.
//
// # Imports
//
// It imports rules, llm, process and memory, and process/transcript to read
// histories. The command imports it. It has no locks.
package writebackeval
