// Package meaning finds texts by their meaning: an [Endpoint] of the user's own makes
// vectors of texts and questions, [Vectors] keeps those of an index in a file, and a
// [Look] asks for them without letting anybody wait.
//
// # What it is not
//
// It ranks nothing and knows neither scopes nor conversations: its user says which text
// has which vector by a key, which of them may be found, and what a place among the
// nearest is worth.
//
// # Invariants
//
//   - What is sent went through [Options].Redact, questions too. Nothing is sent without
//     an endpoint, and no redirect is followed.
//   - A search waits for the vector of its question for [Options].Patience at most. Texts
//     get theirs in the background, one request at a time, half of the time.
//   - A file is a cache, and one process has it. Vectors of another model, length or prefix
//     are thrown away; what a crash left of a record is written over.
//   - Neither a text nor the key nor an address stands in an error.
//
// # Lock order
//
// Index.mu, then Vectors.mu. Look.mu is held with neither, and none while a request is
// under way.
//
// It imports memory for the errors and durable for locks; recall imports it.
package meaning
