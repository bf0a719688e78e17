// Package llm has a language model extract what a conversation taught, by the chat
// completions protocol of OpenAI that many servers speak.
//
// It is asked only where an endpoint is configured. Whatever goes wrong (the
// network, the budget, the answer) is an error, and the caller's rules stand in.
//
// # Invariants
//
//   - What is sent was read from the store of conversations, which keeps nothing
//     with a secret in it. It is bounded in tokens, for one call and for a day.
//   - What comes back is data: it is held to a closed set of targets and categories
//     and to bounds, and goes through the store's scanner like any text. A model
//     can't say that a person asked for something.
//   - Neither the key nor any text is logged or stands in an error.
//   - A redirect is not followed: the key is for the address that was configured.
//
// It imports memory, process, recall (whose summaries it can write) and rules; the
// composition root imports it.
package llm
