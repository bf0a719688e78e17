// Package scanner gives verdicts on text before it is remembered: does it hold
// a secret, an instruction that would poison an agent, a dangerous command, or
// characters that a reader can't see.
//
// # What it is
//
// Rules are data: gitleaks' default rules, read from its module, our own in
// rules/*.toml, and those of a user's file. Ours use gitleaks' keys and some more
// (see ruleSpec); tokens of vendors are written in short (see tokenSpec). A text
// is looked at in several views (see [view] and views.go): as it stands, with
// escapes undone, decoded, with parts joined, with look-alikes folded and invisible
// characters removed, with punctuation blanked. An automaton finds the rules'
// keywords in one pass, and a rule runs only around its keywords, or over the
// whole text where that could lose a match (analyse.go has the proof), and only where
// the words are that every match holds (need.go). A [Scanner]
// judges one request (Scan) or a file (ScanLong), and masks (Redact). The policy
// says by category what a finding does.
//
// gitleaks' own detector is the oracle of the tests and the baseline of
// measurements (package eval), not a part of what judges: as a library it fails
// open. A cancelled context returns a part of the findings and no error; a comment
// in the text switches it off; a third load of an extended configuration has one
// rule.
//
// # What it is not
//
// It finds lexical classes. It can't tell a false statement from a true one,
// and a regular expression can't catch poisoning that is only in the meaning.
// It does not verify secrets and opens no connection.
//
// # Invariants
//
//   - It fails closed: whatever keeps a text from being judged (a rule that does
//     not load, a panic, a deadline, too long a text, invalid UTF-8, too many
//     escapes) is a *[Failure], and the text must not be stored.
//   - No finding, failure or counter holds a secret. Previews are masked here;
//     nothing else of the text leaves the package.
//   - Equal texts get equal reports, in order of field, offset and rule.
//   - A Scanner is safe for concurrent use. Compiled rules never change.
//
// # Locks
//
// One mutex guards the counters by rule; rules compile under a sync.Once each.
// No lock is held while a text is looked at.
//
// It imports nothing of ours and is the only importer of gitleaks. The
// composition root adapts it to memory.Scanner.
package scanner
