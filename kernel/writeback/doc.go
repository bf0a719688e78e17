// Package writeback learns from finished conversations.
//
// # What it is
//
// The room of what becomes memory after a process ended. Below it, package rules
// finds by rules what a conversation taught, and package eval measures that.
//
// # What it is not
//
// It decides nothing about what may be stored: what is learned passes the store
// like any write.
//
// # Imports
//
// It imports memory, process and recall. The devices and the command import it.
package writeback
