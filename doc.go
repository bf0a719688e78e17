// Package rnixfs is the root of the repository and has no code: the command is
// cmd/rnixfs, the kernel is kernel/.
//
// Its tests hold the house together: which package may import which, which of
// them owns a third-party library, and that everything is documented. They read
// the source only, and need nothing but the standard library; .golangci.yml
// says the same to golangci-lint.
package rnixfs
