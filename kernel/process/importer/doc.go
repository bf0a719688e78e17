// Package importer takes other tools' conversations into the store: it finds the
// files, has package transcript read them, and appends what is new.
//
// # Invariants
//
//   - Importing again adds nothing: the ids of conversations and turns are made of
//     what the files say.
//   - A conversation that was removed here does not come back.
//   - Text is kept only as the store's redactor returned it.
//
// It imports the store of conversations and the readers; the composition root
// imports it.
package importer
