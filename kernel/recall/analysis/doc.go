// Package analysis cuts text of any language into the terms of an index.
//
// # What it is
//
// [Analyze] makes the same tokens of a document and of a query, so that what
// was written one way is found when it is asked another way:
//
//   - compatibility forms are unified (NFKC), case and accents folded;
//   - English words are stemmed (Snowball), irregular forms led back to their
//     base (went, go), a small list of function words is marked as stop words;
//   - identifiers, paths and compounds are found by their parts and whole:
//     getUserName, get_user_name and get-user-name share all their terms;
//   - versions are one word: v1.2.3 is found by 1.2.3 and by 1.2;
//   - scripts without spaces (Han, kana, Hangul, Thai, Lao, Khmer, Myanmar) are
//     cut into overlapping pairs of characters, and single characters beside
//     them.
//
// [Sentences] cuts a text into what can be shown by itself: sentences, items of lists and
// lines of code.
//
// # What it is not
//
// It knows no index, no ranking and no query syntax. It has no state and no
// dictionary but the small tables in its files.
//
// # Invariants
//
//   - Any string is accepted, invalid UTF-8 too.
//   - Offsets are byte offsets in the text as given, on rune boundaries where
//     the text is valid, with 0 <= Start <= End <= len(text).
//   - Terms are never empty, and at most [MaxTermBytes] long.
//
// Imported by kernel/recall, its sub-packages and kernel/writeback.
package analysis
