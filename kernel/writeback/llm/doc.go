// Package llm has a language model read a conversation, or answer a question from texts
// that recall found: it writes the question, asks an [Endpoint] or the user's own agent
// [Program], and reads the answer.
//
// # Invariants
//
//   - What is sent was read from a store, which keeps nothing with a secret in it, or passed
//     the scanner. It is bounded in tokens, for one question and for a day.
//   - What comes back is data: a closed set of actions, scopes and categories, each
//     operation with a quote that stands in its turn. It goes through the store's
//     scanner like any text, and a model can't say that a person asked for something.
//   - Neither the key nor any text, of a conversation or of an answer, is logged or
//     stands in an error.
//   - Of a program nothing is left: no process, no folder, no session that is learned
//     from (see [Own]).
//
// It imports memory, process and durable; writeback imports it.
package llm
