// Package durable does the three things to files that have to survive a crash, or
// other programs: replace a file as a whole, lock one, append a line.
//
// # What it is not
//
// It has no format and no retry of what failed. The file provider of entries has
// its own, because its tests stop and fail each single operation.
//
// It imports nothing of ours; everything may import it.
package durable
