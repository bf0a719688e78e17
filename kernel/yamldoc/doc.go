// Package yamldoc reads a YAML document strictly and writes one stably.
//
// # What it is
//
// [Parse] reads one document under bounds, [Document.Decode] puts it into a Go
// value, and both report every fault at once as a [Problem] with its line and
// column: unknown keys (with the key that was probably meant), values of the
// wrong type, keys given twice. [Append] writes JSON values in a fixed order.
//
// It reads a subset of YAML 1.2: one document, without anchors, aliases, merge
// keys and tags. All of these are reported, never guessed.
//
// # What it is not
//
// It knows no field of ours. What a value must be beyond its type is the
// caller's to say; [Document.At] gives the place to say it about.
//
// # Invariants
//
//   - A document costs at most [MaxBytes], [MaxDepth] and [MaxNodes].
//   - Nothing here panics on any input.
//   - What Append wrote, Decode gives back.
//
// It is the only importer of gopkg.in/yaml.v3, and imports nothing of ours.
package yamldoc
