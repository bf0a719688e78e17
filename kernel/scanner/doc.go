// Package scanner gives verdicts on text before it is remembered: does it hold
// a secret, an instruction that would poison an agent, a dangerous command, or
// characters that a reader can't see.
//
// # What it is
//
// Rules are data: the default rules of gitleaks, read from its module, our own
// in rules/*.toml, which use gitleaks' keys and add severity, category, views,
// window, filter, redact and tests, and those of a user's file. Tokens of
// vendors stand there in short (see tokenSpec); rules without keywords run over
// words that look random (words.go) or compute (finders.go). A text is looked
// at in several views (see [view] and views.go): as it stands, with escapes
// undone, decoded, with what was torn apart joined, with look-alikes and
// invisible characters folded, with punctuation blanked. An automaton finds the
// rules' keywords in one pass, and a rule runs only around its keywords. Where
// that could lose a match, the rule runs over the whole text: see analyse.go for
// the proof. A [Scanner] judges one request (Scan), a file (ScanLong),
// and masks (Redact). What a finding does is a matter of policy by category.
//
// gitleaks' own detector is the oracle of the tests and the baseline of
// measurements (package eval), not a part of what judges: as a library it fails
// open in ways that its caller can't always see (a cancelled context returns a
// part of the findings and no error; a comment in the text switches it off; a
// third load of an extended configuration has one rule).
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
