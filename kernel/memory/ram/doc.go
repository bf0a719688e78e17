// Package ram keeps the entries of a scope in memory: what one session is told
// and nobody else.
//
// A [Provider] is gone with its process, history included. It has one lock,
// under which memory.Hooks.Changed is called.
package ram
