// Package scaneval measures a scanner on labelled texts, beside plain gitleaks in
// the same run: what share of the texts that must be flagged is, what share of
// those that must pass is too, by category, and how long it takes.
//
// # What it is
//
// Rows are JSON lines {"text", "label": "pos" or "neg", "category"}; the part
// of a category before its first slash is its group. [Measure] is the whole of
// it. The baseline is gitleaks' own detector with its own configuration, as its
// command line runs it over a file.
//
// [Folder] counts, by rule, the turns of conversations and the paragraphs of other
// texts below a folder that are flagged; which of these alarms are false is for a
// reader to say.
//
// # What it is not
//
// It judges no scanner: it has no threshold, and the figures are for people.
// It is used by the command line and by tests, and is no part of what keeps a
// text out of memory.
//
// # Invariants
//
//   - A refusal to judge (a text too large, for example) counts as flagged: it
//     keeps the text out too. Refusals are counted, so that they show.
//   - No text of a row is in a report; findings are shown masked.
package scaneval
