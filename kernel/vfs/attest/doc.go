// Package attest finds out who is calling, from the kernel's own records: a
// process's ancestors, credentials, executable, working directory and the
// project that it lies in. Nothing a caller says of itself counts.
//
// It imports memory for the nouns; front ends and the command line import it.
package attest
