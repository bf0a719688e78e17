// Package recalleval measures recall against labelled conversations.
//
// # What it is
//
// [Read] takes LoCoMo's own JSON or a neutral form of conversations with
// questions and the turns that answer them; [Work] imports real conversations of
// coding agents and takes our own questions about them (work/README.md). [Recall] makes
// an index of each conversation or project, asks the recall device its questions, and says
// how often, and how far ahead, the turns of the evidence were found. [FTS5] and [Bleve]
// are what else one would search with.
//
// # What it is not
//
// It judges retrieval, not answers: no model reads what was found. It knows
// nothing of the ranking, and the ranking nothing of it.
//
// # The neutral form
//
//	{"conversations":[{"id","sessions":[{"id","time","turns":[{"id","role","content"}]}],
//	  "questions":[{"question","category","evidence":["turn id"]}]}]}
//
// A role that is not user, assistant, tool or system is the name of a person: the
// turn is a user's, and the name stands before its content, as in a transcript.
// Times are RFC 3339 or a date. Questions without evidence have no answer: counted is how
// often nothing was returned.
//
// # Imports
//
// It imports the kernel, and bleve for the comparison. The command line imports it,
// and a test of recall.
package recalleval
