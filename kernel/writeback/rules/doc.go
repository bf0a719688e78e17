// Package rules finds by rules what a finished conversation taught.
//
// # What it is
//
// [Extract] reads a conversation and returns candidates for memory: what a person
// asked to be remembered, what holds from now on, where he put the agent right,
// what was decided and why, how things are done in the project, what the user
// likes and who he is, and which command failed and which form of it worked.
// [Judge] says which conversations are worth it. Both work offline and depend on
// nothing but their arguments. [Retractions] says what the user takes back by its
// name, which other conversations may have taught.
//
// # What it is not
//
// It stores nothing: what it returns passes the store like any write, where it is
// scanned, compared with what is there, and limited. It understands nothing,
// either: a sentence that no rule knows is lost, and what is said between the
// lines is, too. A language model may find more.
//
// # Who is believed
//
// Only a person's own words say what the person wants. What an agent says is used
// for two things: a proposal that the user accepts in his next words, and the
// plain findings in its last two turns. Answers of tools never become part of a
// memory, as anybody may have written them: of a turn of a tool only the command
// is used, that is what the agent ran, and whether it failed, for which there is
// a closed list of reasons. Code, quotations, logs, tables and mark-up within a
// person's words are shown and not said; a long text or one with headings in
// capitals is a document that was pasted, of which only explicit requests in its
// first or last paragraph count. Questions, conditions, guesses, what others say,
// and irony state nothing.
//
// # How
//
// A turn's text is brought into blocks, these into sentences, and each sentence
// is given to the families of rules in order, a file each: a new value for what was
// found, request, instruction, correction, decision, convention, home, preference,
// fact. The first that takes it has it; what it says of all projects was taken off
// before. A proposal of the agent is looked for when the user's turn begins. What says the same is merged; what is later puts right what is earlier;
// what was taken back goes. Of what is left the best are returned.
//
// What a person tells of his life is found by its weight rather than by a form: a
// deed of his or of those whom he has, by closed classes of verbs; what it is done
// to, by classes of nouns and by what is no more than a way to speak; when it was;
// shapes that tell without a deed. Against it weigh talk, promises, pictures, what
// is vague, and what has the shape of a tale and tells nothing: how it feels to know
// something, effort, works without a title. A sentence that is vague goes along with the one that it is about:
// what follows a tale joins it, and what needs the sentence before takes it with
// it. What is found right behind a tale, and is not sure to stand alone, joins it as
// well, and so does what is told of the same later in the conversation: it shares the
// topics of a sentence. Of a sentence that speaks to the other, too, only the clauses
// are kept that do not.
//
// # Invariants
//
// The same conversation gives the same candidates. A candidate has at most 300
// runes on one line, is valid UTF-8, and names the turns that it came from. Time
// is linear: the regular expressions are RE2, at most 1 MB of what was said is
// read, 32 KB of a turn, and 256 candidates are compared with each other.
//
// # Locks
//
// None: there is no state.
//
// # Imports
//
// It imports process and memory for the nouns, and the standard library.
// Writeback and its measurement import it.
package rules
