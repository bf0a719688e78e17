// Package durable does the two things to files that have to survive a crash, or
// other programs: replace a file as a whole, and lock one.
//
// # What it is not
//
// It has no format and no retry of what failed. The file provider of entries
// replaces and appends by itself, because its tests stop and fail each single
// operation.
//
// It imports nothing of ours; everything may import it.
package durable
