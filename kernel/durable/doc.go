// Package durable makes folders, replaces files as a whole, and locks files, so that
// they survive crashes and other programs.
//
// # What it is not
//
// It has no format and no retry of what failed. The file provider of entries
// replaces and appends by itself, because its tests stop and fail each single
// operation.
//
// It imports nothing of ours; everything may import it.
package durable
