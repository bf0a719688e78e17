// Package vfstest is the suite that every front end runs: one list of requests and of
// what the devices answer (cases.txt), whatever carries them.
//
// A front end is a [Front]; [Run] gives it a fresh project for each group of requests.
// It is imported by tests only. How requests are framed and whose reply a reader gets is
// a front end's own, and has tests of its own.
package vfstest
