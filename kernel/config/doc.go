// Package config reads memory.yaml.
//
// [Load] finds the files, lays the more specific over the less specific key by
// key, and returns a plain [Config] whose every value is in range, with the
// place that each value came from. [Working] does so for callers that must go on
// when the file of a project is wrong. [Reloader] follows the files and swaps in a
// new configuration when they change.
//
// # What it is not
//
// It opens nothing that the configuration names and starts nothing: the
// composition root turns a Config into the parts of the kernel, and says in
// [Hooks].Admit whether that can be done. Only the folder of scanner.rules is
// watched, as those of the files are. It does not parse YAML, which yamldoc does.
//
// # Invariants
//
//   - One table, settings, has every key once: its range, and the files that may set it.
//     memory.yaml beside it has its default and what it is. The field of Config whose
//     yaml tags spell the key has its value and type. Decoding, [Loaded.Explain],
//     [Differences] and the tests of the documents all walk the table, so that a
//     new key is a row there, one in memory.yaml and a field.
//   - A key that a file does not have keeps its value from below; no key is ever
//     zeroed by its absence. Below the user's own file lie the presets that it names.
//   - A file with a problem is never in force, not even in part, and all problems
//     are reported at once, as an [*Error] in a *memory.Error of KindInvalid; by
//     [Working], those of a project's files in Refused.
//   - A file that another user could have written is refused, unless it was named
//     by hand: a folder such as /tmp must not configure the programs that start in it.
//
// # Lock order
//
// Reloader.mu is held while its functions are called: they must not call Reload.
//
// Imports memory, yamldoc and watch; imported by the composition root and the
// command line.
package config
