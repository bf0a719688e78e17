// Package recalleval measures recall against labelled conversations.
//
// # What it is
//
// [Read] takes LoCoMo's own JSON or a neutral form of conversations with
// questions and the turns that answer them. [Recall] makes an index of each
// conversation, asks its questions the way the recall device does, and says how
// often, and how far ahead, the turns of the evidence were found.
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
// Times are RFC 3339 or a date. Questions without evidence are passed over.
//
// # Imports
//
// It imports recall, process and sqlite, and bleve for the comparison. The
// command line imports it.
package recalleval
