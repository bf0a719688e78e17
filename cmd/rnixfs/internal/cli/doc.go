// Package cli is the command line of rnixfs: one file per subcommand, each thin.
// A command parses its flags, calls one function and prints; what it calls is
// tested where it lives.
//
// Exit codes are a contract (see exit.go and docs/cli.md): a code once given a
// meaning never gets another.
package cli
